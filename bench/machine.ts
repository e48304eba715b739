import {
  closeSync,
  fsyncSync,
  mkdtempSync,
  openSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs"
import { cpus, loadavg, release, tmpdir, totalmem } from "node:os"
import { join } from "node:path"
import { quantile } from "./statistics.ts"

/** The processor core that is reserved for the gateway under test. */
export const GATEWAY_CORE = 0
const DURABLE_WRITES = 300

/** The facts about the machine that affect a result. */
export interface Machine {
  readonly processor: string
  readonly cores: number
  readonly memory: number
  readonly kernel: string
  readonly bun: string
  /** Whether a core is reserved for the gateway. */
  readonly isPinned: boolean
  /** Microseconds until one small write is durable, on the file system with the data of the run. */
  readonly durableWrite: { readonly median: number; readonly p99: number }
  readonly fileSystem: string
  /** Load average before the run. It is near 0 on an idle machine. */
  readonly load: number
}

/** Whether this machine can reserve a core for the gateway. */
export function canPin(): boolean {
  return cpus().length > 1 && Bun.which("taskset") !== null
}

/** Returns the command prefix that restricts a command to the gateway's core. */
export function onGatewayCore(): string[] {
  return canPin() ? ["taskset", "-c", String(GATEWAY_CORE)] : []
}

/** Excludes the gateway's core for this process and all processes that it starts. */
export function leaveGatewayCore(): void {
  if (!canPin()) return
  const others = `${GATEWAY_CORE + 1}-${cpus().length - 1}`
  Bun.spawnSync(["taskset", "-a", "-c", "-p", others, String(process.pid)])
}

/** Returns the command prefix that lets a command use every core. */
export function onAllCores(): string[] {
  return canPin() ? ["taskset", "-c", `0-${cpus().length - 1}`] : []
}

/** Returns the facts about this machine. Measuring the disk takes a few milliseconds. */
export function describeMachine(): Machine {
  const all = cpus()
  return {
    processor: all[0]?.model.trim() ?? "unknown",
    cores: all.length,
    memory: totalmem(),
    kernel: release(),
    bun: Bun.version,
    isPinned: canPin(),
    durableWrite: timeDurableWrites(),
    fileSystem: fileSystemOf(tmpdir()),
    load: loadavg()[0] ?? 0,
  }
}

function timeDurableWrites(): Machine["durableWrite"] {
  const directory = mkdtempSync(join(tmpdir(), "tollgate-bench-"))
  const file = openSync(join(directory, "write"), "w")
  const times = Array.from({ length: DURABLE_WRITES }, () => {
    const start = performance.now()
    writeSync(file, "x".repeat(4_096))
    fsyncSync(file)
    return (performance.now() - start) * 1_000
  })
  closeSync(file)
  rmSync(directory, { recursive: true })
  return { median: Math.round(quantile(times, 0.5)), p99: Math.round(quantile(times, 0.99)) }
}

function fileSystemOf(directory: string): string {
  let found = { path: "", kind: "unknown" }
  try {
    for (const line of readFileSync("/proc/mounts", "utf8").split("\n")) {
      const [, path = "", kind = ""] = line.split(" ")
      const holds = path === "/" || directory === path || directory.startsWith(`${path}/`)
      if (holds && path.length >= found.path.length) found = { path, kind }
    }
  } catch {
    return "unknown"
  }
  return found.kind
}
