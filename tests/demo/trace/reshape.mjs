// Reads rows and settings from the standard input, and prints the distribution that the page would draw for each.
import { readFileSync } from "node:fs";
import { reshapedChances } from "../../../demo/trace/reading/chances.js";

const cases = JSON.parse(readFileSync(0, "utf8"));
process.stdout.write(JSON.stringify(cases.map(({ row, settings }) => reshapedChances(row, settings))));
