import { EventLoopMonitor, readEventLoop } from "../../src/relay/lifetime/event-loop-monitor.ts"
import { until } from "../support/until.ts"

const realNow = performance.now.bind(performance)

/**
 * The clock for the deadlines of a gateway that is started with this clock's `monitor`. The test moves the clock, and
 * observes when the gateway reads it.
 */
export class MovableClock implements Disposable {
  readonly monitor = new EventLoopMonitor()
  #shift = 0

  constructor() {
    performance.now = () => realNow() + this.#shift
  }

  /** Waits until the gateway has checked its deadlines the given number of times. */
  async looks(count: number): Promise<void> {
    const end = this.#beats + count
    await until(() => this.#beats >= end)
  }

  /** Moves the clock, and waits until the gateway has reacted. */
  async pass(milliseconds: number): Promise<void> {
    this.#shift += milliseconds
    await this.looks(2)
  }

  get #beats(): number {
    return readEventLoop(this.monitor.memory).beats
  }

  [Symbol.dispose](): void {
    performance.now = realNow
  }
}
