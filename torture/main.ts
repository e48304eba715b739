/** Runs a gateway with faults, and checks its charges. See docs/contribute/reliability.md. */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { type CommandLine, readOptions, USAGE } from "./options.ts"
import { formatReport } from "./report.ts"
import { torture } from "./torture.ts"

const LOGS = join(import.meta.dir, "results")
const WRONG_USAGE = 2

async function main(): Promise<number> {
  let options: CommandLine
  try {
    options = readOptions(process.argv.slice(2))
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${USAGE}`)
    return WRONG_USAGE
  }
  if (options.isHelp) {
    console.log(USAGE)
    return 0
  }
  const result = await torture(options)
  console.log(formatReport(options, result))
  if (result.findings.length === 0) return 0
  mkdirSync(LOGS, { recursive: true })
  result.logs.forEach((log, index) => writeFileSync(join(LOGS, `node-${index}.log`), log))
  console.log(`\nlogs of the nodes: ${LOGS}`)
  return 1
}

process.exitCode = await main()
