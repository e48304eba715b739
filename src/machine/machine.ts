import { MachineClock } from "./machine-clock.ts"
import { Presence } from "./presence.ts"
import { SharedMemory } from "./shared-memory.ts"

/** The index of each counter. */
const COUNTERS = { keyChanges: 0 } as const

/** Something that happened in one process and that all must see before their next request. */
export interface Signal {
  /** Number of times that it was raised. */
  readonly count: number
  raise(): void
}

/** The state that processes of one machine with the same data folder share. */
export class Machine implements Disposable {
  readonly memory: SharedMemory
  readonly clock = new MachineClock()
  readonly presence: Presence
  /** Keys were changed: cached ones are stale. */
  readonly keyChanges: Signal

  /** @param folder the data folder. */
  constructor(folder: string) {
    this.memory = SharedMemory.open(folder)
    this.presence = new Presence(this.memory, this.clock)
    this.keyChanges = keyChangesIn(this.memory)
  }

  [Symbol.dispose](): void {
    this.presence[Symbol.dispose]()
  }
}

/** For a command, which changes keys and serves no requests. */
export function keyChangesIn(memory: SharedMemory): Signal {
  return signal(memory.counters(), COUNTERS.keyChanges)
}

function signal(counters: Int32Array, index: number): Signal {
  return {
    get count() {
      return Atomics.load(counters, index)
    },
    raise() {
      Atomics.add(counters, index, 1)
    },
  }
}
