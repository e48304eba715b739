import { parseArgs } from "node:util"
import {
  FULL_RACE,
  QUICK_RACE,
  SCENARIOS,
  type RaceEffort,
  type ScenarioName,
} from "./race/plan.ts"

/** The parts of a run, in the order in which they are measured. */
export const PARTS = [
  "chat",
  "stream",
  "transcode",
  "latency",
  "tail",
  "memory",
  "upload",
  "start",
  "store",
  "observe",
  "console",
  "size",
] as const
/** The name of a part of a run. */
export type Part = (typeof PARTS)[number]

/** Parts that run only if they are named, because they take minutes each. */
const ASKED_FOR: ReadonlySet<Part> = new Set(["store", "observe", "console", "size"])

/** The names that `--subjects` accepts. */
export const SUBJECT_NAMES = [
  "bare",
  "pipe",
  "nginx",
  "busbar",
  "gomodel",
  "litellm-rs",
  "portkey",
  "litellm",
  "tollgate",
] as const
/** A subject of a measurement. */
export type SubjectName = (typeof SUBJECT_NAMES)[number]

/** The default subjects in addition to Tollgate. The race has further subjects. */
const USUAL: readonly SubjectName[] = ["bare", "pipe", "nginx", "portkey", "tollgate"]
/** In the race, the variant `pipe` would be a second bare proxy. */
const CONTESTANTS = SUBJECT_NAMES.filter((name) => name !== "pipe")

/** The duration of each part. Times are in milliseconds. */
export interface Effort {
  readonly warmUp: number
  readonly chatRounds: number
  readonly chatBlock: number
  readonly streamRounds: number
  readonly streamBlock: number
  readonly latencyRounds: number
  readonly latencyRequests: number
  readonly tailWarmUp: number
  readonly tailRounds: number
  readonly tailBlock: number
  readonly starts: number
  /** Time without requests before memory is read. */
  readonly settling: number
  /** Number of requests in the history that the console shows. */
  readonly consoleRequests: number
  /** Number of times that each call and each page of the console is timed. */
  readonly consoleTimes: number
}

const FULL: Effort = {
  // The compilers of the runtimes need this long to compile a gateway's code.
  warmUp: 6_000,
  chatRounds: 8,
  chatBlock: 2_000,
  streamRounds: 4,
  streamBlock: 2_000,
  latencyRounds: 6,
  latencyRequests: 1_000,
  tailWarmUp: 10_000,
  tailRounds: 6,
  tailBlock: 2_000,
  starts: 10,
  settling: 2_000,
  consoleRequests: 1_000_000,
  consoleTimes: 7,
}

const QUICK: Effort = {
  warmUp: 800,
  chatRounds: 3,
  chatBlock: 600,
  streamRounds: 2,
  streamBlock: 600,
  latencyRounds: 3,
  latencyRequests: 120,
  tailWarmUp: 800,
  tailRounds: 2,
  tailBlock: 600,
  starts: 3,
  settling: 400,
  consoleRequests: 20_000,
  consoleTimes: 3,
}

/** The options of the command line. */
export interface BenchOptions {
  readonly isQuick: boolean
  readonly isStrict: boolean
  /** Whether the part `size` runs at its full size. */
  readonly isLarge: boolean
  readonly parts: readonly Part[]
  readonly subjects: readonly SubjectName[]
  readonly effort: Effort
  /** Set for a race of the peers, in which the parts are not measured. */
  readonly race: RaceOptions | undefined
}

/** The parts of the race. */
export interface RaceOptions {
  readonly scenarios: readonly ScenarioName[]
  readonly effort: RaceEffort
  /** The seed that determines the order in each round. */
  readonly seed: number
  /** Whether all scenarios and subjects run at full length, as the published page requires. */
  readonly isComplete: boolean
}

/** The output of `--help`. */
export const USAGE = `usage: npm run bench -- [options]

Measures Tollgate against a bare proxy, or races it against other gateways.

  --quick            a rough answer, sooner
  --only PARTS       some of ${PARTS.join(",")};
                     ${[...ASKED_FOR].join(", ")} only if they are named here
  --subjects NAMES   some of ${SUBJECT_NAMES.join(",")}; bare is always there
  --large            the part "size" with a ledger of ten million requests, about 11 GB on the disk
  --strict           exit code 1 when a "must" is missed
  --peers            the race; --only then takes some of ${SCENARIOS.join(",")}
  --seed NUMBER      repeats the order of an earlier race
  --help             this text
`

const MAX_SEED = 2 ** 32

/** Parses the command line; undefined for help. @throws Error with a message for the user. */
export function readOptions(words: readonly string[]): BenchOptions | undefined {
  const { values } = parseArgs({
    args: [...words],
    options: {
      quick: { type: "boolean", default: false },
      strict: { type: "boolean", default: false },
      large: { type: "boolean", default: false },
      peers: { type: "boolean", default: false },
      only: { type: "string" },
      subjects: { type: "string" },
      seed: { type: "string" },
      help: { type: "boolean", default: false },
    },
  })
  if (values.help) return undefined
  const named = readList(values.subjects, SUBJECT_NAMES, "subject")
  const subjects = named ?? (values.peers ? CONTESTANTS : USUAL)
  const shared = {
    isQuick: values.quick,
    isStrict: values.strict,
    isLarge: values.large,
    subjects: subjects.includes("bare") ? subjects : (["bare", ...subjects] as const),
    effort: values.quick ? QUICK : FULL,
  }
  if (!values.peers) {
    if (values.seed !== undefined) throw new Error("--seed is for --peers")
    const parts =
      readList(values.only, PARTS, "part") ?? PARTS.filter((part) => !ASKED_FOR.has(part))
    return { ...shared, parts, race: undefined }
  }
  const scenarios = readList(values.only, SCENARIOS, "scenario")
  const race = {
    scenarios: scenarios ?? SCENARIOS,
    effort: values.quick ? QUICK_RACE : FULL_RACE,
    seed: readSeed(values.seed),
    isComplete: !values.quick && scenarios === undefined && named === undefined,
  }
  return { ...shared, parts: [], race }
}

function readSeed(text: string | undefined): number {
  if (text === undefined) return Math.floor(Math.random() * MAX_SEED)
  const seed = Number(text)
  if (Number.isInteger(seed) && seed >= 0 && seed < MAX_SEED) return seed
  throw new Error(`--seed takes a whole number from 0 to ${MAX_SEED - 1}, not '${text}'`)
}

function readList<Name extends string>(
  text: string | undefined,
  known: readonly Name[],
  word: string,
): readonly Name[] | undefined {
  if (text === undefined) return undefined
  const asked = text.split(",").map((name) => name.trim())
  for (const name of asked) {
    if (known.some((one) => one === name)) continue
    throw new Error(`'${name}' is no ${word}. There are: ${known.join(", ")}`)
  }
  return known.filter((name) => asked.includes(name))
}
