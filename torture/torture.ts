import { runCommand } from "../test/support/process.ts"
import { Callers } from "./callers.ts"
import type { TortureEngine } from "./engines.ts"
import { diskFaults, FaultLoop, networkFaults, nodeFaults } from "./faults/fault-loop.ts"
import { Tally } from "./faults/tally.ts"
import { Operators } from "./operators.ts"
import { type Evidence, type Finding, requestIdsOf } from "./oracle/evidence.ts"
import { judge } from "./oracle/judge.ts"
import { readLedger } from "./oracle/ledger-view.ts"
import { Random } from "./random.ts"
import { buildWorld, type World } from "./world.ts"

export interface TortureOptions {
  readonly engine: TortureEngine
  readonly seed: number
  /** Duration of the faults in seconds. */
  readonly seconds: number
  readonly nodes: number
  readonly callers: number
  /** Whether the data folder is on a small disk that is filled during the run. Needs root. */
  readonly fillsDisk: boolean
}

/** The records of a run, and the judgment. */
export interface TortureResult {
  readonly evidence: Evidence
  readonly findings: readonly Finding[]
  readonly faults: Tally
  /** Exit codes of the nodes that were stopped at the end. */
  readonly exitCodes: readonly number[]
  /** Number of times that a node ended unexpectedly. */
  readonly crashes: number
  readonly keyChanges: number
  readonly vendorRequests: number
  /** The logs of the nodes. */
  readonly logs: readonly string[]
}

/** Plays faults while callers send requests. Then waits until all work has ended, and judges the records. */
export async function torture(options: TortureOptions): Promise<TortureResult> {
  const random = new Random(options.seed)
  await using world = await buildWorld(options)
  const begun = performance.now()
  const callers = new Callers(world, begun)
  const operators = new Operators(world)
  const faults = new Tally()
  const loops = loopsOf(world, faults)
  callers.start(options.callers, random.fork())
  operators.start(random.fork())
  for (const loop of loops) loop.start(random.fork())
  await Bun.sleep(options.seconds * 1_000)
  await Promise.all(loops.map((loop) => loop.stop()))
  await Promise.all(world.nodes.map((node) => node.start()))
  await Promise.all([callers.stop(), operators.stop()])
  await callers.repeat()
  const exitCodes = await Promise.all(world.nodes.map((node) => node.stop()))
  const evidence = await gather(world, callers, operators)
  const findings = [...judge(evidence), ...(await verifyByCommand(world))]
  return {
    evidence,
    findings,
    faults,
    exitCodes,
    crashes: world.nodes.reduce((sum, { crashes }) => sum + crashes, 0),
    keyChanges: operators.keyChanges,
    vendorRequests: world.vendor.count,
    logs: world.nodes.map(({ log }) => log),
  }
}

/**
 * Returns the loops of faults. Faults in different places happen at the same time. Faults in one place happen one after
 * another.
 */
function loopsOf(world: World, tally: Tally): FaultLoop[] {
  return [
    nodeFaults(world),
    networkFaults(world.vendorProxy, "the vendor's connections"),
    [...world.database.faults(world.installation), ...diskFaults(world.disk)],
  ].map((faults) => new FaultLoop(faults, tally))
}

async function gather(world: World, callers: Callers, operators: Operators): Promise<Evidence> {
  await using reader = await world.database.openReader(world.installation)
  const known = new Set(callers.calls.flatMap((call) => [...requestIdsOf(call)]))
  return {
    calls: callers.calls,
    grants: operators.grants,
    vendorCalls: (marker) => world.vendor.of(marker),
    ledger: await readLedger(reader, known),
  }
}

/** Runs the verification command for operators, which checks the ledger with its anchor, and the audit log. */
async function verifyByCommand({ installation }: World): Promise<Finding[]> {
  const { exitCode, stdout, stderr } = await runCommand(installation, "ledger", "verify")
  return exitCode === 0 ? [] : [{ fault: `tollgate ledger verify fails: ${stdout}${stderr}` }]
}
