import type { EventLoopReading } from "../relay/lifetime/event-loop-monitor.ts"

/**
 * Number of missed check intervals after which the machine counts as suspended, because this thread did not run either.
 */
const MISSED_CHECKS_OF_SLEEP = 3

/** Measures for how long an event loop is blocked, from repeated readings of its monitor. */
export class EventLoopWatch {
  readonly #timeoutMs: number
  readonly #intervalMs: number
  #checkedAt: number
  #beats = -1
  #stillSince: number

  /**
   * @param timeoutMs maximum time that the loop may be blocked.
   * @param intervalMs interval of the checks.
   * @param now the current time in milliseconds.
   */
  constructor(timeoutMs: number, intervalMs: number, now: number) {
    this.#timeoutMs = timeoutMs
    this.#intervalMs = intervalMs
    this.#checkedAt = now
    this.#stillSince = now
  }

  /**
   * Checks that the loop has run since the previous check.
   * @returns how long the loop is blocked in milliseconds, or 0 if that is below the timeout.
   */
  check({ beats, rests }: EventLoopReading, now: number): number {
    const wasAsleep = now - this.#checkedAt > MISSED_CHECKS_OF_SLEEP * this.#intervalMs
    this.#checkedAt = now
    if (wasAsleep || rests || beats !== this.#beats) {
      this.#beats = beats
      this.#stillSince = now
    }
    const stillMs = now - this.#stillSince
    return stillMs < this.#timeoutMs ? 0 : stillMs
  }
}
