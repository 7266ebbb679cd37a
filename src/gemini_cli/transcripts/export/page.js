(() => {
  "use strict";
  const folds = () => Array.from(document.querySelectorAll("main details"));
  const button = document.getElementById("fold");
  if (button && folds().length) {
    let open = false;
    button.hidden = false;
    button.addEventListener("click", () => {
      open = !open;
      for (const fold of folds()) fold.open = open;
      button.textContent = open ? "Fold all" : "Open all";
    });
  }
  const prompts = document.getElementById("prompts");
  if (prompts && window.matchMedia("(max-width: 860px)").matches) prompts.open = false;
  let before = [];
  window.addEventListener("beforeprint", () => {
    before = folds().filter((fold) => !fold.open);
    for (const fold of before) fold.open = true;
  });
  window.addEventListener("afterprint", () => {
    for (const fold of before) fold.open = false;
  });
})();
