// @ts-check
// The dock: one step of a lesson at a time, beside the page. Nothing is graded, and any step can be skipped.
import { currentTabName, enterLesson, leaveLesson } from "../../../links/scripts/address.js";
import { askForStep, isChanged, leaveStep } from "../../../links/scripts/lesson_step.js";
import { settings } from "../../../links/scripts/settings.js";
import { make, setText } from "../../../widgets/view/dom.js";
import { addWords, t } from "../../../widgets/view/translate.js";
import { keepProgress, progressOf } from "../progress.js";
import { createClassroom } from "./class/classroom.js";
import { createArrival, shownQuery, valuesOf } from "./completion.js";
import { placeDock, placeStep } from "./dock_position.js";
import { createFrame } from "./frame.js";
import { createGuide, createVeil } from "./guide.js";
import { hasPredictions } from "./lesson.js";
import { showPaired, TESTS } from "./paired.js";
import { ask, isFit } from "./predictions/predictions.js";

import { showEnd, showRecall } from "./quiz.js";
import { createTeacherPanel } from "./teacher.js";

/** @import { CourseStep } from "../view.js" */
/** @import { Question, Prediction } from "./predictions/predictions.js" */
/** @import { Lesson } from "./lesson.js" */

const WATCH_MILLISECONDS = 400;

/**
 * @param {HTMLElement} root
 * @param {any} server
 */
export function createDock(root, server) {
  /** @type {Lesson | null} */
  let lesson = null;
  let number = 1;
  let hasEnded = false; // whether the page after the last step is shown
  let requests = 0; // counts the requests, to recognise a late answer
  /** @type {ReturnType<typeof setInterval> | undefined} */
  let watching;

  const frame = createFrame(root, {
    leave,
    back: () => (hasEnded ? draw().catch(console.error) : go(number - 1)),
    go,
    showPart: () => guide.showPart(),
    next: () => (lesson && number < lesson.steps.length ? go(number + 1) : hasEnded ? finish() : end()),
  });
  const { title, text, partButton, prediction: form, outcome, task, back, next } = frame;

  const arrival = createArrival();
  /** @type {(() => void) | null} */
  let unrevealed = null; // reveals the answer when the teacher does
  /** @type {Prediction | undefined} */
  let offeredNow; // the prediction of the step, with the options from the server
  const classroom = createClassroom(frame.more, server, {
    now: () => ({ lesson: lesson?.id ?? "", step: number, prediction: offeredNow }),
    go,
    reveal: () => unrevealed?.(),
    opened: () => enter("replaceState"),
  });

  const teacher = createTeacherPanel(frame.more, () => lesson);

  /** @type {(method: "pushState" | "replaceState", opens?: boolean) => void} */
  function enter(method, opens) {
    const name = classroom.name();
    if (lesson) enterLesson(method, { lesson: lesson.id, step: number, ...(name && { class: name }) }, opens);
  }

  const cover = createVeil();
  const guide = createGuide(frame);

  const step = () => /** @type {Lesson} */ (lesson).steps[number - 1];

  /**
   * Asks the server; a refusal is shown in place of the answer.
   * @param {string} what
   */
  async function question(what) {
    const request = ++requests;
    const answer = await server[what]({ lesson: /** @type {Lesson} */ (lesson).id, step: number }).catch(() => ({
      refused: t("The server did not answer. Try again."),
    }));
    if (request !== requests) return null;
    if (answer.refused === undefined) return answer;
    say([answer.refused]);
    return null;
  }

  /** @param {string[]} sentences */
  const say = (sentences) =>
    outcome.replaceChildren(...sentences.filter(Boolean).map((sentence) => setText(make("p"), sentence)));

  /** @param {CourseStep} target */
  async function open(target) {
    if (target.lesson in TESTS) return openTest(target.lesson);
    if (lesson?.id !== target.lesson) {
      const answer = await server.lesson({ lesson: target.lesson });
      if (answer.refused !== undefined) return;
      addWords(answer.words);
      frame.label();
      classroom.label();
      teacher.label();
      teacher.close();
      lesson = /** @type {Lesson} */ (answer);
      root.dataset.lesson = lesson.id;
      frame.more.hidden = !hasPredictions(lesson);
      root.setAttribute("aria-label", t("Lesson: {title}", { title: lesson.title }));
    }
    root.hidden = false;
    document.documentElement.dataset.lesson = lesson.id;
    number = target.step;
    if (target.class) classroom.join(target.class);
    arrival.opened(isChanged(target, window.location.href));
    enter("replaceState");
    clearInterval(watching);
    watching = setInterval(watch, WATCH_MILLISECONDS);
    await draw();
  }

  /** @param {string} id of the test before or after the course, which has no steps */
  async function openTest(id) {
    lesson = { id, title: "", minutes: 0, reading: "", other_senses: "", steps: [] };
    hasEnded = true;
    requests += 1;
    cover();
    clearInterval(watching);
    frame.clear();
    root.dataset.lesson = id;
    document.documentElement.dataset.lesson = id;
    enter("replaceState");
    await showPaired(root, frame, server, id);
    placeStep(root, "tab=learn");
  }

  async function draw() {
    if (!lesson) return;
    const now = step();
    requests += 1;
    hasEnded = false;
    unrevealed = null;
    offeredNow = undefined;
    cover(now.prediction && progressOf(lesson.id).guesses[now.name] === undefined ? now.veil : "");
    root.dataset.step = String(number);
    root.dataset.otherSenses = lesson.other_senses;
    keepProgress(lesson.id, { step: number });
    title.textContent = lesson.title;
    frame.showSteps(lesson.steps.length, number);
    setText(text, now.asks ? "…" : now.text);
    partButton.textContent = now.part ? t("Look at: {part}", { part: now.part.label }) : "";
    form.replaceChildren();
    say([]);
    task.textContent = "";
    delete task.dataset.done;
    back.disabled = number === 1;
    drawNext();
    guide.begin(now.part);
    showRecall(frame.remembered, server, number === 1 ? lesson : null);
    placeStep(root, now.state);
    root.dataset.ready = String(Number(root.dataset.ready) + 1);
    const filled = now.asks ? await question("step") : {};
    if (!filled || step() !== now) return;
    if (filled.text) setText(text, filled.text);
    if (now.prediction) predict({ ...now.prediction, ...filled, fromModel: Boolean(filled.options) });
  }

  /** @param {Prediction} prediction */
  function predict(prediction) {
    offeredNow = prediction;
    const { id } = /** @type {Lesson} */ (lesson);
    const { name } = step();
    const earlier = progressOf(id).guesses[name];
    /** @type {Question} */
    const shape = ask(prediction, (guess) => reveal(guess));
    form.replaceChildren(shape.element);
    // A page that the reader has changed since is not moved to the numbers of the answer again.
    const isMoved = isChanged({ lesson: id, step: number }, window.location.href);
    if (earlier !== undefined && isFit(prediction, earlier)) reveal(earlier, isMoved).catch(console.error);
    // A reader without a prediction, as most teachers are, sees the answer too.
    else unrevealed = () => revealAnswer().catch(console.error);

    /** @type {(guess: any, isMoved?: boolean) => Promise<void>} */
    async function reveal(guess, isMoved = false) {
      unrevealed = null; // the class does not have the guess yet
      keepProgress(id, { guesses: { ...progressOf(id).guesses, [name]: guess } });
      root.dispatchEvent(new CustomEvent("unrolled:predicted", { bubbles: true, detail: { step: number, guess } }));
      if (!(await classroom.predict(guess))) {
        unrevealed = () => revealAnswer(guess).catch(console.error);
        return say([t("Your prediction is in. Your teacher reveals the answer.")]);
      }
      await revealAnswer(guess, isMoved);
    }

    /** @type {(guess?: any, isMoved?: boolean) => Promise<void>} */
    async function revealAnswer(guess, isMoved = false) {
      unrevealed = null;
      say([t("Asking the model …")]);
      const answer = await question("reveal");
      if (!answer) return;
      cover();
      guide.reveal(step().part, isMoved ? null : answer.evidence);
      classroom.mark(answer.answer);
      say([shape.reveal(guess, answer), answer.text]);
      drawNext();
    }
  }

  const isDoable = () => Boolean(step().done) && task.dataset.done !== "true";

  function drawNext() {
    if (!lesson) return;
    const waits = (step().prediction && !outcome.textContent) || isDoable();
    const ends = hasEnded || (number === lesson.steps.length && !hasPredictions(lesson));
    setText(next, ends ? t("Finish") : waits ? t("Skip") : t("Next"));
    next.classList.toggle("ls-waits", Boolean(waits) && !ends);
  }

  // Reads what the reader has done from the link to the page's current state.
  function watch() {
    placeDock(root); // the parts of a tab appear late when it is first opened
    if (!lesson) return;
    const tab = currentTabName() ?? "decode";
    const query = shownQuery(tab);
    if (!query) return;
    const { defaults } = settings();
    const now = { ...valuesOf(query, defaults), tab };
    const before = valuesOf(step().state, defaults);
    arrival.note(now, before);
    if (!step().done || hasEnded) return;
    // Checked anew each time: late changes of the step before may look like a fulfilled condition for a moment.
    if (arrival.isDone(step().done, now, before)) task.dataset.done = "true";
    else delete task.dataset.done;
    setText(
      task,
      task.dataset.done ? t("Done. Look at what has changed, then go on.") : t("Your turn: do it on the page."),
    );
    drawNext();
  }

  /** @param {number} target */
  function go(target) {
    if (!lesson) return;
    const { opens, state } = lesson.steps[target - 1];
    const comesBack = target < number && state !== step().state;
    number = target;
    enter("pushState", Boolean(opens) || comesBack);
    if (opens || comesBack) {
      arrival.opened(false);
      visit().catch(console.error);
    }
    draw().catch(console.error);
  }

  const visit = async () => lesson && askForStep({ lesson: lesson.id, step: number });

  /** Shows the page after the last step. */
  function end() {
    if (!lesson || !hasPredictions(lesson)) return finish();
    requests += 1;
    hasEnded = true;
    keepProgress(lesson.id, { done: true });
    frame.clear();
    guide.begin(undefined);
    back.disabled = false;
    drawNext();
    showEnd(form, server, lesson, classroom.numAnswered()).catch(console.error);
  }

  function finish() {
    if (!lesson) return;
    keepProgress(lesson.id, { done: true, step: 1 });
    leave();
    /** @type {HTMLElement | null} */ (document.querySelector('#tabs [role=tab][data-tab-id="learn"]'))?.click();
  }

  function leave() {
    clearInterval(watching);
    requests += 1;
    lesson = null;
    cover();
    guide.leave();
    classroom.leave();
    root.hidden = true;
    leaveStep();
    delete root.dataset.lesson;
    delete document.documentElement.dataset.lesson;
    placeStep(root, "");
    leaveLesson();
  }

  document.addEventListener("unrolled:tab", () => lesson && placeDock(root));
  window.addEventListener("popstate", ({ state }) => {
    const target = /** @type {CourseStep | undefined} */ (state?.lesson);
    if (target) {
      number = target.step;
      open(target).then(visit).catch(console.error);
    } else if (lesson) leave();
  });
  return { open };
}
