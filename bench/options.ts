import { parseArgs } from "node:util"

/** The parts of a run, in the order in which they are measured. */
export const PARTS = [
  "chat",
  "stream",
  "transcode",
  "latency",
  "memory",
  "upload",
  "start",
  "store",
  "observe",
  "console",
] as const
/** One part of a run. */
export type Part = (typeof PARTS)[number]

/** Parts that are measured only when they are named: they take longer than all others together. */
const ASKED_FOR: ReadonlySet<Part> = new Set(["console"])

/** The names that `--subjects` takes. */
export const SUBJECT_NAMES = ["bare", "pipe", "nginx", "portkey", "tollgate"] as const
/** Something that is measured. */
export type SubjectName = (typeof SUBJECT_NAMES)[number]

/** How long each part takes. Times in milliseconds. */
export interface Effort {
  readonly warmUp: number
  readonly chatRounds: number
  readonly chatBlock: number
  readonly streamRounds: number
  readonly streamBlock: number
  readonly latencyRounds: number
  readonly latencyRequests: number
  readonly starts: number
  /** Quiet time before memory is read. */
  readonly settling: number
  /** Requests that the console has to show. */
  readonly consoleRequests: number
  /** How often each of its calls and pages is timed. */
  readonly consoleTimes: number
}

const FULL: Effort = {
  // The compilers of the runtime need this long to be done with a gateway's code.
  warmUp: 6_000,
  chatRounds: 8,
  chatBlock: 2_000,
  streamRounds: 5,
  streamBlock: 2_500,
  latencyRounds: 6,
  latencyRequests: 1_000,
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
  starts: 3,
  settling: 400,
  consoleRequests: 20_000,
  consoleTimes: 3,
}

/** What the command line asks for. */
export interface BenchOptions {
  readonly isQuick: boolean
  readonly isStrict: boolean
  readonly parts: readonly Part[]
  readonly subjects: readonly SubjectName[]
  readonly effort: Effort
}

/** What `--help` prints. */
export const USAGE = `usage: npm run bench -- [options]

Measures Tollgate beside a bare proxy and the peers that are installed.

  --quick            a rough answer in less than a minute
  --only PARTS       some of ${PARTS.join(",")};
                     ${[...ASKED_FOR].join(", ")} only when it is named here
  --subjects NAMES   some of ${SUBJECT_NAMES.join(",")}; bare is always there
  --strict           exit code 1 when a "must" is missed
  --help             this text
`

/** Reads the command line; undefined when help is wanted. @throws Error in words for the user. */
export function readOptions(words: readonly string[]): BenchOptions | undefined {
  const { values } = parseArgs({
    args: [...words],
    options: {
      quick: { type: "boolean", default: false },
      strict: { type: "boolean", default: false },
      only: { type: "string" },
      subjects: { type: "string" },
      help: { type: "boolean", default: false },
    },
  })
  if (values.help) return undefined
  const subjects = readList(values.subjects, SUBJECT_NAMES, "subject")
  return {
    isQuick: values.quick,
    isStrict: values.strict,
    parts:
      values.only === undefined
        ? PARTS.filter((part) => !ASKED_FOR.has(part))
        : readList(values.only, PARTS, "part"),
    subjects: subjects.includes("bare") ? subjects : ["bare", ...subjects],
    effort: values.quick ? QUICK : FULL,
  }
}

function readList<Name extends string>(
  text: string | undefined,
  known: readonly Name[],
  word: string,
): readonly Name[] {
  if (text === undefined) return known
  const asked = text.split(",").map((name) => name.trim())
  for (const name of asked) {
    if (known.some((one) => one === name)) continue
    throw new Error(`'${name}' is no ${word}. There are: ${known.join(", ")}`)
  }
  return known.filter((name) => asked.includes(name))
}
