import { readdirSync, readFileSync } from "node:fs"

const NANOSECONDS_PER_MICROSECOND = 1_000
const MICROSECONDS_PER_SECOND = 1_000_000
const TICKS_PER_SECOND = readTicksPerSecond()
// Index of a field in the part after the process name. The name may contain spaces.
const PARENT_FIELD = 1
const USER_TIME_FIELD = 11
const SYSTEM_TIME_FIELD = 12

function readTicksPerSecond(): number {
  const { success, stdout } = Bun.spawnSync(["getconf", "CLK_TCK"])
  return success ? Number(stdout.toString()) : 100
}

function read(path: string): string | undefined {
  try {
    return readFileSync(path, "utf8")
  } catch {
    return undefined
  }
}

function statisticsOf(process: number | string): string[] {
  const text = read(`/proc/${process}/stat`) ?? ""
  return text.slice(text.lastIndexOf(")") + 2).split(" ")
}

/** Returns a process and all of its descendants. */
export function familyOf(process: number): number[] {
  const children = new Map<number, number[]>()
  for (const name of readdirSync("/proc")) {
    if (!/^\d+$/.test(name)) continue
    const parent = Number(statisticsOf(name)[PARENT_FIELD])
    const siblings = children.get(parent)
    if (siblings) siblings.push(Number(name))
    else children.set(parent, [Number(name)])
  }
  const family = [process]
  for (const member of family) family.push(...(children.get(member) ?? []))
  return family
}

/** Returns the processor time of the given processes and all their threads, in microseconds. */
export function processorTime(family: readonly number[]): number {
  let total = 0
  for (const member of family) {
    const byThreads = timeOfThreads(member)
    const inTicks = timeInTicks(member)
    // The exact counts of threads are lost when the threads end. In that case, the coarse count of the process is
    // higher.
    const slack = (3 * MICROSECONDS_PER_SECOND) / TICKS_PER_SECOND
    total += byThreads + slack < inTicks ? inTicks : byThreads
  }
  return total
}

function timeOfThreads(process: number): number {
  let nanoseconds = 0
  for (const thread of readdirSync(`/proc/${process}/task`)) {
    const text = read(`/proc/${process}/task/${thread}/schedstat`) ?? "0"
    nanoseconds += Number(text.slice(0, text.indexOf(" ")))
  }
  return nanoseconds / NANOSECONDS_PER_MICROSECOND
}

function timeInTicks(process: number): number {
  const fields = statisticsOf(process)
  const ticks = Number(fields[USER_TIME_FIELD]) + Number(fields[SYSTEM_TIME_FIELD])
  return (ticks / TICKS_PER_SECOND) * MICROSECONDS_PER_SECOND
}

/** Returns the processor time of all processes on one core, in microseconds. */
export function busyTime(core: number): number {
  const line = new RegExp(`^cpu${core} (.*)$`, "m").exec(read("/proc/stat") ?? "")
  // The fields are: user nice system idle iowait irq softirq steal. Interrupts are mostly caused by the subject's own
  // network traffic.
  const [user = 0, nice = 0, system = 0, , , , , steal = 0] = (line?.[1] ?? "")
    .split(" ")
    .map(Number)
  return ((user + nice + system + steal) / TICKS_PER_SECOND) * MICROSECONDS_PER_SECOND
}

/** Returns the resident memory of the given processes in KB. Shared pages are counted for each process. */
export function residentMemory(family: readonly number[]): number {
  return memoryOf(family, /^VmRSS:\s+(\d+) kB$/m)
}

/** Returns the maximum resident memory since the last reset with `clear_refs`, in KB. */
export function peakMemory(family: readonly number[]): number {
  return memoryOf(family, /^VmHWM:\s+(\d+) kB$/m)
}

function memoryOf(family: readonly number[], line: RegExp): number {
  return family.reduce((total, member) => {
    const found = line.exec(read(`/proc/${member}/status`) ?? "")
    return total + Number(found?.[1] ?? 0)
  }, 0)
}

/** Ticks of all cores since the machine was started. */
export interface MachineTime {
  /** Ticks in which a process of this machine ran. */
  readonly ran: number
  /** Ticks in which a process would have run, but the host gave the core to another machine. */
  readonly stolen: number
}

/** Returns how the machine's time has been used so far (`proc_stat(5)`). */
export function machineTime(): MachineTime {
  const line = read("/proc/stat")?.split("\n", 1)[0] ?? ""
  const [user = 0, nice = 0, system = 0, , , interrupts = 0, softInterrupts = 0, stolen = 0] = line
    .split(/ +/)
    .slice(1)
    .map(Number)
  return { ran: user + nice + system + interrupts + softInterrupts, stolen }
}
