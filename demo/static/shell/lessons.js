// @ts-check
// The lessons. The server's answers are files: one for each prediction, fetched when the reader has made it.
import { readChoices } from "../../widgets/answers/questions.js";
import { make } from "../../widgets/view/dom.js";
import { t } from "../../widgets/view/translate.js";
import { sentence } from "./loading.js";

/** @import { Page } from "./loading.js" */

/** @typedef {{ lesson: string, step: number }} Place */
/**
 * @typedef {{ lesson?: Place, at: URL, faults: string[], trace?: string }} Opened the step that an address names, the
 * state to show, and the file of its trace
 */
/** @typedef {{ id: string, title: string }} Line */
/** @typedef {{ lab: string, options: Record<string, string | number> }} LabRequest */

/** @type {(one: object, other: object) => boolean} */
const isSame = (one, other) => JSON.stringify(one) === JSON.stringify(other);

const TESTS = /** @type {Record<string, string>} */ ({ pretest: "before", posttest: "after" });

/** @param {Page} page */
export function createLessons({ read, code, loading }) {
  const file = (/** @type {string} */ path) => read(`lessons/${code}/${path}.json`);
  /** @type {(question: (data: any) => Promise<any>) => (data: any) => Promise<any>} */
  const answering = (question) => (data) =>
    question(data).catch((error) => {
      console.warn(error);
      return { refused: t("This part of the lesson could not be loaded. Check the connection, then try again.") };
    });

  /** Draws the titles of the lessons that need a server. @param {{ absent: Line[], needs: string }} course */
  function drawAbsent({ absent, needs }) {
    const list = make("ul", "co-absent", ...absent.map(({ title }) => make("li", "", title)));
    document
      .querySelector("#course .course")
      ?.append(make("h2", "", t("Lessons that need the app")), make("p", "co-intro", needs), list);
  }

  const course = answering(async () => {
    const answer = await file("course");
    drawAbsent(answer);
    return answer;
  });

  const answerAt = (/** @type {string} */ lesson, /** @type {number} */ step) => file(`${lesson}/answer-${step}`);

  /** @type {Record<string, (data: any) => Promise<any>>} by the names of the dock */
  const questions = {
    lesson: async ({ lesson }) => (await file(`${lesson}/lesson`)).lesson,
    step: async ({ lesson, step }) => (await file(`${lesson}/lesson`)).steps[step - 1],
    reveal: async ({ lesson, step }) => (await answerAt(lesson, step)).reveal,
    async recap({ lesson, names }) {
      const { steps } = (await file(`${lesson}/lesson`)).lesson;
      const predicted = [...steps.keys()].filter(
        (index) => steps[index].prediction && names.includes(steps[index].name),
      );
      const answers = await Promise.all(predicted.map((index) => answerAt(lesson, index + 1)));
      return { lines: answers.flatMap(({ lines }) => lines) };
    },
    quiz: ({ lesson }) => file(`${lesson}/quiz`),
    paired: ({ which }) => file(which),
  };
  const dock = Object.fromEntries(Object.entries(questions).map(([name, question]) => [name, answering(question)]));

  const step = { lab: "", file: "" }; // the lab of a lesson's step with its choices, and the file of its answer

  /** The content of a lab: stored as it opens and for the step of a lesson, else computed. @param {LabRequest} request */
  async function compute({ lab, options }) {
    const stored = readChoices(step.lab);
    try {
      if (stored && isSame(stored, { view: lab, choices: options })) return await read(step.file);
      if (isSame(options, {})) return await file(`lab-${lab}`);
      return await loading.ask("answer", { question: "lab", values: { name: lab, options } });
    } catch (error) {
      console.warn(error);
      return { refused: sentence(/** @type {Error} */ (error)), controls: [] };
    }
  }

  /**
   * The state that an address stands for, if it names a lesson; else the address itself.
   * @type {(address: URL) => Promise<Opened>}
   */
  async function stateAt(address) {
    const id = address.searchParams.get("lesson");
    if (id === null) return { at: address, faults: [] };
    const learn = new URL("?tab=learn", address);
    if (Object.hasOwn(TESTS, id)) return { lesson: { lesson: id, step: 1 }, at: learn, faults: [] };
    const { lines, absent, needs } = await file("course");
    if (absent.some((/** @type {Line} */ line) => line.id === id)) return { at: learn, faults: [needs] };
    if (id !== "questions" && !lines.some((/** @type {Line} */ line) => line.id === id)) {
      const value = id.slice(0, 40);
      return { at: learn, faults: [t("There is no lesson {value}. The Learn tab lists them all.", { value })] };
    }
    const { lesson, traces } = await file(`${id}/lesson`);
    const { steps } = lesson;
    const number = Math.min(
      Math.max(Number.parseInt(address.searchParams.get("step") ?? "1", 10) || 1, 1),
      steps.length,
    );
    const state = new URL(`?${steps[number - 1].state || "tab=learn"}`, address);
    const folder = `lessons/${code}/${id}`;
    Object.assign(step, { lab: state.searchParams.get("lab") ?? "", file: `${folder}/lab-${number}.json` });
    return {
      lesson: { lesson: id, step: number },
      at: state,
      faults: [],
      trace: traces.includes(number) ? `${folder}/trace-${number}.json` : "",
    };
  }

  /** Shows the tab, and the lab of an address if the page has it. @param {import("./visit.js").LinkValues} linked */
  async function visit({ view, faults }) {
    const name = readChoices(view.lab)?.view;
    const { labs } = await file("labs");
    const isKnown = !name || labs.some((/** @type {[string]} */ [one]) => one === name);
    if (!isKnown) faults.push((await file("course")).needs);
    return { run: false, view: isKnown ? view : null };
  }

  const labs = { list_labs: () => file("labs"), compute };
  return {
    stateAt,
    visit,
    parts: { course: { server: { course } }, lesson: { server: dock }, labs: { server: labs } },
  };
}
