import { MachineClock } from "./machine-clock.ts"
import { Presence } from "./presence.ts"
import { SharedMemory } from "./shared-memory.ts"

/** The index of each counter. */
const COUNTERS = { keyChanges: 0 } as const

/** An event in one process that all processes must handle before their next request. */
export interface Signal {
  /** Number of times that the signal was raised. */
  readonly count: number
  raise(): void
}

/** The state that processes of one machine with the same data folder share. */
export class Machine implements Disposable {
  readonly memory: SharedMemory
  readonly clock = new MachineClock()
  readonly presence: Presence
  /** Raised after keys were changed, which makes cached keys stale. */
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

/** Returns the signal for a command that changes keys but serves no requests. */
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
