import type { SharedMemory } from "../machine/shared-memory.ts"
import { WordTable } from "../machine/word-table.ts"

/** Words of a slot: the hash of a deployment's id, followed by the words of `CircuitState`. */
const SLOT_WORDS = 8
/** The shared counter of degraded deployments. */
const COUNTER = 1

const FAILURES = 1
const OPENINGS = 2
const OPEN_UNTIL = 3
const OVERLOADED_UNTIL = 4
const HALF_OPEN_UNTIL = 5

/** The states of deployments that have failed recently, in memory that processes share. */
export class CircuitStates {
  readonly #table: WordTable
  readonly #values: Float64Array
  readonly #counters: Int32Array

  constructor(memory: SharedMemory) {
    this.#table = new WordTable(memory.bigWords("circuits"), SLOT_WORDS)
    this.#values = memory.floatWords("circuits")
    this.#counters = memory.counters()
  }

  /** Whether no deployment has failed recently. Every request checks this. */
  get isEmpty(): boolean {
    return Atomics.load(this.#counters, COUNTER) === 0
  }

  find(deployment: string): CircuitState | undefined {
    if (this.isEmpty) return undefined
    const slot = this.#table.find(deployment)
    return slot === -1 ? undefined : new CircuitState(this.#values, slot)
  }

  /** Returns the state of a deployment, and creates it if necessary. */
  note(deployment: string): CircuitState {
    const known = this.find(deployment)
    if (known) return known
    // The counter is increased first. If this process dies before it has stored the state, other processes search in
    // vain, but never overlook a state.
    Atomics.add(this.#counters, COUNTER, 1)
    const rank = (slot: number): number => -new CircuitState(this.#values, slot).until
    const { at, wasFree } = this.#table.make(deployment, rank)
    if (!wasFree) Atomics.sub(this.#counters, COUNTER, 1)
    return new CircuitState(this.#values, at)
  }

  remove(deployment: string, { slot }: CircuitState): void {
    if (this.#table.free(deployment, slot)) Atomics.sub(this.#counters, COUNTER, 1)
  }
}

/** The circuit of one deployment. All times are by the clock of `Health`. */
export class CircuitState {
  readonly slot: number
  readonly #values: Float64Array

  constructor(values: Float64Array, slot: number) {
    this.#values = values
    this.slot = slot
  }

  get failures(): number {
    return this.#get(FAILURES)
  }

  set failures(count: number) {
    this.#set(FAILURES, count)
  }

  get openings(): number {
    return this.#get(OPENINGS)
  }

  set openings(count: number) {
    this.#set(OPENINGS, count)
  }

  /** The time when a circuit that was opened by failures may close. */
  get openUntil(): number {
    return this.#get(OPEN_UNTIL)
  }

  set openUntil(moment: number) {
    this.#set(OPEN_UNTIL, moment)
  }

  /** The end of the wait that the vendor requested. A success does not shorten it. */
  get overloadedUntil(): number {
    return this.#get(OVERLOADED_UNTIL)
  }

  set overloadedUntil(moment: number) {
    this.#set(OVERLOADED_UNTIL, moment)
  }

  /** The end of the half-open state. In this state, a single request tests the deployment. */
  get halfOpenUntil(): number {
    return this.#get(HALF_OPEN_UNTIL)
  }

  set halfOpenUntil(moment: number) {
    this.#set(HALF_OPEN_UNTIL, moment)
  }

  /** The time until which requests should avoid the deployment. */
  get until(): number {
    return Math.max(this.openUntil, this.overloadedUntil, this.halfOpenUntil)
  }

  /** Resets the failures, but not the wait that the vendor requested. */
  recover(): void {
    this.failures = 0
    this.openings = 0
    this.openUntil = 0
    this.halfOpenUntil = 0
  }

  #get(word: number): number {
    return this.#values[this.slot + word] ?? 0
  }

  #set(word: number, value: number): void {
    this.#values[this.slot + word] = value
  }
}
