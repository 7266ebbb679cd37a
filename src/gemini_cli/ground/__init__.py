"""What knows machines and files and nothing of agents: formats, wire, host, net, config.

Import the rooms by name; this door stays empty so that one of them never costs another.
"""
