// Prints the WebAssembly module of demo/static/engine/product.wat in base64.

import { readFileSync } from "node:fs";
import makeWabt from "wabt";

const source = new URL("../../../demo/static/engine/product.wat", import.meta.url);
const module = (await makeWabt()).parseWat("product.wat", readFileSync(source, "utf8"), { simd: true });
process.stdout.write(Buffer.from(module.toBinary({}).buffer).toString("base64"));
