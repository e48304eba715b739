import type { Fault, Pause } from "../engines.ts"
import type { FaultyProxy, Weather } from "../proxy.ts"
import type { TortureNode } from "../node.ts"
import type { Random } from "../random.ts"
import type { World } from "../world.ts"
import type { FullDisk } from "./full-disk.ts"
import type { Tally } from "./tally.ts"

/** Minimum pause in milliseconds between two faults of a loop. */
const MIN_PAUSE_MS = 200
const MAX_PAUSE_MS = 2_500
/** Maximum duration of a proxy fault, in milliseconds. */
const MAX_WEATHER_MS = 4_000
/** Maximum time in milliseconds for which a node is frozen. With a network database, leases expire within this time. */
const MAX_FREEZE_MS = 12_000
/** Maximum time in milliseconds until the last fault has ended. */
const STOP_TIMEOUT_MS = 60_000
/** Maximum shift of the clock in milliseconds. It is less than a day, because idempotency keys expire after a day. */
const MAX_JUMP_MS = 6 * 3_600_000

/** Plays faults one after another until it is stopped. Several loops run at the same time. */
export class FaultLoop {
  readonly #faults: readonly Fault[]
  readonly #tally: Tally
  readonly #stopped = Promise.withResolvers<void>()
  #isOver = false
  #working = Promise.resolve()
  #playing = "none"

  constructor(faults: readonly Fault[], tally: Tally) {
    this.#faults = faults
    this.#tally = tally
  }

  start(random: Random): void {
    this.#working = this.#work(random)
  }

  /**
   * Ends the current fault. Resolves when everything works again.
   * @throws Error if that takes too long, because fewer faults were then played than reported.
   */
  async stop(): Promise<void> {
    this.#isOver = true
    this.#stopped.resolve()
    const deadline = Promise.withResolvers<never>()
    const late = (): void => deadline.reject(new Error(`'${this.#playing}' does not end`))
    const timer = setTimeout(late, STOP_TIMEOUT_MS)
    await Promise.race([this.#working, deadline.promise])
    clearTimeout(timer)
  }

  async #work(random: Random): Promise<void> {
    const pause: Pause = (time) => Promise.race([Bun.sleep(time), this.#stopped.promise])
    while (this.#faults.length > 0) {
      await pause(random.between(MIN_PAUSE_MS, MAX_PAUSE_MS))
      if (this.#isOver) return
      const fault = random.pick(this.#faults)
      this.#playing = fault.name
      this.#tally.add(fault.name)
      await fault.run(random, pause)
    }
  }
}

/** Returns the faults of nodes. */
export function nodeFaults({ nodes }: World): Fault[] {
  const running = (): TortureNode[] => nodes.filter(({ isRunning }) => isRunning)
  const onOne =
    (play: (node: TortureNode, random: Random, pause: Pause) => Promise<void>) =>
    async (random: Random, pause: Pause): Promise<void> => {
      const candidates = running()
      if (candidates.length > 0) await play(random.pick(candidates), random, pause)
    }
  const kill = async (node: TortureNode, random: Random, pause: Pause): Promise<void> => {
    await node.kill()
    await pause(random.between(0, 1_500))
    await node.start()
  }
  return [
    { name: "a node killed", run: onOne(kill) },
    { name: "a node killed", run: onOne(kill) },
    {
      name: "a node stopped gracefully",
      run: onOne(async (node) => {
        await node.stop()
        await node.start()
      }),
    },
    {
      name: "a node frozen",
      run: onOne(async (node, random, pause) => {
        node.freeze()
        await pause(random.between(300, MAX_FREEZE_MS))
        node.thaw()
      }),
    },
    {
      name: "a node frozen and killed",
      run: onOne(async (node, random, pause) => {
        node.freeze()
        await pause(random.between(300, 4_000))
        await kill(node, random, pause)
      }),
    },
    {
      name: "a clock set",
      run: onOne(async (node, random, pause) => {
        node.shiftClock(random.between(-MAX_JUMP_MS, MAX_JUMP_MS))
        await pause(random.between(300, 4_000))
        node.shiftClock(0)
      }),
    },
    {
      name: "all nodes killed at once",
      run: async (random, pause) => {
        await Promise.all(nodes.map((node) => node.kill()))
        await Promise.all(nodes.map((node) => kill(node, random, pause)))
      },
    },
  ]
}

/** Returns the faults of connections that use a proxy. */
export function networkFaults(proxy: FaultyProxy, where: string): Fault[] {
  const weather = (name: string, of: (random: Random) => Weather): Fault => ({
    name: `${where} ${name}`,
    run: async (random, pause) => {
      proxy.weather = of(random)
      await pause(random.between(300, MAX_WEATHER_MS))
      proxy.clear()
    },
  })
  return [
    { name: `${where} cut`, run: async () => proxy.cut() },
    { name: `${where} halved and cut`, run: async () => proxy.halve() },
    weather("silent", () => ({ kind: "silence" })),
    weather("delayed", (random) => ({ kind: "delay", time: random.between(5, 300) })),
    weather("throttled", (random) => ({ kind: "throttle", rate: random.between(2_000, 50_000) })),
  ]
}

/** Returns the fault of a full disk. */
export function diskFaults(disk: FullDisk | undefined): Fault[] {
  if (!disk) return []
  return [
    {
      name: "the disk full",
      run: async (random, pause) => {
        disk.fill()
        await pause(random.between(300, 3_000))
        disk.free()
      },
    },
  ]
}
