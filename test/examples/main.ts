/**
 * `npm run test:examples -- [NAME...]`: starts the gateway of each example with the simulator as its providers, and
 * sends the requests of the example. If npm or PyPI has the program of the example, the program itself is run.
 */
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { type Example, EXAMPLES } from "./examples.ts"

const words = process.argv.slice(2)
const chosen = EXAMPLES.filter(({ name }) => words.length === 0 || words.includes(name))
let failed = 0
for (const example of chosen) {
  const reason = await reasonAgainst(example)
  if (reason !== undefined) failed++
  console.log(reason === undefined ? `passed ${example.name}` : `FAILED ${example.name}: ${reason}`)
}
console.log(`\n${chosen.length - failed} passed, ${failed} failed`)
process.exit(failed === 0 ? 0 : 1)

async function reasonAgainst({ run }: Example): Promise<string | undefined> {
  const work = mkdtempSync(join(tmpdir(), "tollgate-example-"))
  try {
    await run(work)
    return undefined
  } catch (error) {
    return error instanceof Error ? error.message : String(error)
  } finally {
    rmSync(work, { recursive: true, force: true })
  }
}
