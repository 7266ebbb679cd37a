"""Chooses the model for a step, by table. No request is made to find out.

A name a person gave is taken at its word; `auto` and its relatives stand for the best model
the account may use. A classifier that weighs each prompt is not part of this page.
"""

from gemini_cli.engine.model.catalog import Access, is_auto, plain_name, resolve_name
from gemini_cli.engine.model.configs import ModelConfigs
from gemini_cli.protocol.model import ModelChoice

OVERRIDE = "agent-router/override"
DEFAULT = "agent-router/default"


def choose_model(name: str, configs: ModelConfigs, access: Access) -> ModelChoice:
    """The choice for a session whose model in force is `name`."""
    name = plain_name(name)
    if is_auto(name):
        return ModelChoice(resolve_name(name, access), DEFAULT, f"{name} stands for this model")
    concrete = resolve_name(name, access)
    if configs.knows(name) and concrete == name:
        return ModelChoice(name, OVERRIDE, "named by the person or the settings")
    return ModelChoice(concrete, OVERRIDE, "named by the person or the settings")
