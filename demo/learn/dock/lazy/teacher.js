// @ts-check
// The part of a lesson for teachers: its aim, and the test before and after the course.
import { make, makeButton } from "../../../widgets/view/dom.js";
import { t } from "../../../widgets/view/translate.js";

/** @import { Lesson } from "./lesson.js" */

/**
 * A button and the panel that it opens.
 * @param {HTMLElement} box
 * @param {() => Lesson | null} current
 */
export function createTeacherPanel(box, current) {
  const opener = makeButton("ls-small", () => toggle(panel.hidden));
  const panel = make("div", "ls-class ls-teacher");
  panel.hidden = true;
  opener.setAttribute("aria-expanded", "false");
  box.append(opener, panel);

  /** @param {boolean} isOpen */
  function toggle(isOpen) {
    panel.hidden = !isOpen;
    opener.setAttribute("aria-expanded", String(isOpen));
    if (isOpen) draw();
  }

  function draw() {
    const lesson = current();
    if (!lesson) return;
    const { kit } = lesson;
    const lines = kit
      ? [
          t("Goal: {text}", { text: kit.goal }),
          kit.before.length ? t("Builds on: {lessons}", { lessons: kit.before.join(" · ") }) : "",
          t("A misconception: {text}", { text: kit.misconception }),
          t("Homework: {text}", { text: kit.homework }),
        ]
      : [];
    panel.replaceChildren(
      ...lines.filter(Boolean).map((line) => make("p", "", line)),
      link("pretest", t("Test before the course")),
      link("posttest", t("Test after the course")),
    );
  }

  /** @type {(id: string, label: string) => HTMLElement} */
  function link(id, label) {
    const anchor = make("a", "ls-small", label);
    const url = new URL(window.location.href);
    url.search = new URLSearchParams({ lesson: id }).toString();
    Object.assign(anchor, { href: url.href, target: "_blank", rel: "noopener" });
    return anchor;
  }

  return {
    label() {
      opener.textContent = t("For teachers");
    },
    close: () => toggle(false),
  };
}
