(() => {
  "use strict";
  const folds = () => Array.from(document.querySelectorAll("main details"));
  const fold = document.getElementById("fold");
  const talk = document.getElementById("talk");
  if (folds().length) {
    let open = false;
    fold.hidden = talk.hidden = false;
    fold.addEventListener("click", () => {
      open = !open;
      for (const one of folds()) one.open = open;
      fold.textContent = open ? "Fold all" : "Open all";
    });
    talk.addEventListener("click", () => {
      const quiet = document.body.classList.toggle("talk");
      talk.setAttribute("aria-pressed", String(quiet));
    });
  }
  const prompts = document.getElementById("prompts");
  const phone = window.matchMedia("(max-width: 860px)").matches;
  if (prompts && phone) prompts.open = false;
  if (prompts && !phone && "IntersectionObserver" in window) {
    const links = Array.from(prompts.querySelectorAll("a"));
    const passed = new Set();
    const watch = new IntersectionObserver((changes) => {
      for (const change of changes) passed[change.isIntersecting ? "add" : "delete"](`#${change.target.id}`);
      const nav = prompts.parentElement;
      const here = links.filter((link) => passed.has(link.hash)).pop();
      for (const link of links) link.removeAttribute("aria-current");
      if (!here) return;
      here.setAttribute("aria-current", "location");
      nav.scrollTop = here.offsetTop - nav.clientHeight / 2;
    }, { rootMargin: "9999999px 0px -70% 0px" });
    for (const link of links) watch.observe(document.querySelector(link.hash));
  }
})();
