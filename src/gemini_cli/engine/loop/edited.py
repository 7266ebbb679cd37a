"""What a person's edit makes of a call's arguments.

A face hands back either whole arguments or the new text of a file; both ways of writing
files, whole and by replacement, are known here and nowhere else in the loop.
"""

from gemini_cli.protocol.display import EditPreview, Preview
from gemini_cli.protocol.jsonvalue import JsonObject


def edited(args: JsonObject, content: JsonObject, preview: Preview | None) -> JsonObject:
    """The arguments after the edit; unchanged where the edit cannot be understood."""
    whole = content.get("args")
    if isinstance(whole, dict):
        return whole
    new = content.get("newContent")
    if not isinstance(new, str):
        return args
    if "old_string" in args or "new_string" in args:
        diff = preview.diff if isinstance(preview, EditPreview) else None
        proposed = diff.new if diff else args.get("new_string", "")
        old = (diff.original or "") if diff else args.get("old_string", "")
        changed = {"old_string": old, "new_string": new}
    else:
        proposed = args.get("content", "")
        changed = {"content": new}
    mark = {"modified_by_user": True, "ai_proposed_content": proposed}
    return {**args, **changed, **mark} if new != proposed else args
