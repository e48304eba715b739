/**
 * Plays vendor faults while official clients send requests, and judges the results. See docs/contribute/reliability.md.
 */
import { mkdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { parseArgs } from "node:util"
import { chaos, type ChaosOptions } from "./chaos.ts"
import { ENGINES } from "../options.ts"
import { formatChaos } from "./report.ts"

const LOGS = join(import.meta.dir, "../results")
const USAGE = `usage: npm run chaos -- [options]

Plays faults of vendors at one, two and all three deployments of a model while official clients call them.

  --engine NAME     sqlite (the default), postgresql or postgresql-journal
  --nodes N         how many serve from one database (1)
  --seed N          the same seed makes the same plan
  --fault TEXT      only faults whose name contains it
`

function readOptions(words: readonly string[]): ChaosOptions {
  const { values } = parseArgs({
    args: [...words],
    options: {
      engine: { type: "string", default: "sqlite" },
      nodes: { type: "string", default: "1" },
      seed: { type: "string", default: String(Date.now() % 1_000_000) },
      fault: { type: "string" },
    },
  })
  const engine = ENGINES.find(({ name }) => name === values.engine)
  const nodes = Number(values.nodes)
  const seed = Number(values.seed)
  if (!engine || !(nodes >= 1) || !Number.isInteger(nodes) || !Number.isInteger(seed)) {
    throw new Error("these options cannot be used")
  }
  return {
    engine,
    nodes,
    seed,
    share: 0.5,
    broken: [1, 2, 3],
    watchesInnocents: true,
    only: values.fault,
  }
}

async function main(): Promise<number> {
  let options: ChaosOptions
  try {
    options = readOptions(process.argv.slice(2))
  } catch (error) {
    console.error(`${error instanceof Error ? error.message : error}\n\n${USAGE}`)
    return 2
  }
  const result = await chaos(options)
  console.log(formatChaos(options, result))
  if (result.verdict.findings.length === 0) return 0
  mkdirSync(LOGS, { recursive: true })
  result.logs.forEach((log, index) => writeFileSync(join(LOGS, `chaos-${index}.log`), log))
  console.log(`\nlogs of the nodes: ${LOGS}`)
  return 1
}

process.exitCode = await main()
