// Prints the WebAssembly module of demo/static/models/product.wat in base64.

import { readFileSync } from "node:fs";
import makeWabt from "wabt";

const source = new URL("../../../demo/static/models/product.wat", import.meta.url);
const module = (await makeWabt()).parseWat("product.wat", readFileSync(source, "utf8"), { simd: true });
process.stdout.write(Buffer.from(module.toBinary({}).buffer).toString("base64"));
