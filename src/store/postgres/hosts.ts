import { hostAddresses } from "../../database-address.ts"

/** The hosts of one database, and the one that was the primary when a connection was opened last. */
export class Hosts {
  /** An address for each. */
  readonly addresses: readonly string[]
  readonly #listeners = new Set<() => void>()
  #primary = 0

  constructor(url: string) {
    this.addresses = hostAddresses(url)
  }

  /** The address of the primary, as far as is known. */
  get primary(): string {
    return this.addresses[this.#primary] ?? ""
  }

  /** The numbers of all hosts, the primary first. */
  get inOrder(): readonly number[] {
    const numbers = this.addresses.map((_, index) => index)
    return [this.#primary, ...numbers.filter((index) => index !== this.#primary)]
  }

  /** Notes that a host is the primary. */
  found(index: number): void {
    if (index === this.#primary) return
    this.#primary = index
    for (const listener of this.#listeners) listener()
  }

  /** Calls a listener whenever another host has become the primary. */
  onMove(listener: () => void): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }
}
