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
      testLink("pretest", t("Test before the course")),
      testLink("posttest", t("Test after the course")),
    );
  }

  return {
    label() {
      opener.textContent = t("For teachers");
    },
    close: () => toggle(false),
  };
}

/** @type {(id: string, label: string) => HTMLElement} */
const testLink = (id, label) =>
  Object.assign(lessonLink(id, label), { className: "ls-small", target: "_blank", rel: "noopener" });

/** @type {(id: string, label: string) => HTMLAnchorElement} */
export function lessonLink(id, label) {
  const url = new URL(window.location.href);
  url.search = new URLSearchParams({ lesson: id }).toString();
  return Object.assign(make("a", "", label), { href: url.href });
}
