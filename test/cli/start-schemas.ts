/**
 * A process that loads the modules of `tollgate serve`, and prints the number of Zod schemas that they create, and the
 * loaded files of the contract.
 */
import { stdout } from "node:process"

const define = Object.defineProperty
let schemas = 0
// Zod sets this member once in each schema and each check.
Object.defineProperty = function <Target>(
  target: Target,
  name: PropertyKey,
  descriptor: PropertyDescriptor & ThisType<unknown>,
): Target {
  if (name === "_zod") schemas++
  return define(target, name, descriptor)
}
await import("../../src/cli/serve.ts")
const contract = Object.keys(require.cache).filter((path) => path.includes("/contract/"))
stdout.write(JSON.stringify({ schemas, contract }))
