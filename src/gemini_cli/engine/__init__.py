"""What every conversation needs: the loop, models, tools, policy, context, sessions.

The rooms below never import each other; what joins them lies in `app`.
"""
