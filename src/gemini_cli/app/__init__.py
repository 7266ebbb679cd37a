"""The application: settings read, rooms wired together, sessions opened for any face.

Only this floor knows concrete classes. It imports no face.
"""
