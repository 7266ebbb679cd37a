"""Chooses the model for a step, by table. No request is made to find out.

A name a person gave is taken at its word; `auto` and its relatives stand for the best model
the account may use. A classifier that weighs each prompt is not part of this page.
"""

from gemini_cli.engine.model.catalog import Access, is_auto, plain_name
from gemini_cli.engine.model.fallback import Fallbacks, chain_of
from gemini_cli.protocol.model import ModelChoice

OVERRIDE = "agent-router/override"
DEFAULT = "agent-router/default"
FALLBACK = "agent-router/fallback"


def choose_model(name: str, prompt_id: str, access: Access, fallbacks: Fallbacks) -> ModelChoice:
    """The choice for a step of this prompt, in a session whose model in force is `name`."""
    name = plain_name(name)
    chain = chain_of(name, access)
    if not is_auto(name):
        named = fallbacks.begin(prompt_id, chain)
        return ModelChoice(named, OVERRIDE, "named by the person or settings")
    model = fallbacks.begin(prompt_id, chain)
    if model != chain[0]:
        return ModelChoice(model, FALLBACK, f"{chain[0]} cannot answer at the moment")
    return ModelChoice(model, DEFAULT, f"{name} stands for this model")
