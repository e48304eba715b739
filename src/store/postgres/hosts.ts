import { hostAddresses } from "../../database-address.ts"

/** The hosts of a database. The primary is the host that accepted changes when a connection was last opened. */
export class Hosts {
  /** One address for each host. */
  readonly addresses: readonly string[]
  readonly #listeners = new Set<() => void>()
  #primary = 0

  constructor(url: string) {
    this.addresses = hostAddresses(url)
  }

  /** The address of the primary that was found last. */
  get primary(): string {
    return this.addresses[this.#primary] ?? ""
  }

  /** The indexes of all hosts, starting with the primary. */
  get inOrder(): readonly number[] {
    const numbers = this.addresses.map((_, index) => index)
    return [this.#primary, ...numbers.filter((index) => index !== this.#primary)]
  }

  /** Records that a host is the primary. */
  found(index: number): void {
    if (index === this.#primary) return
    this.#primary = index
    for (const listener of this.#listeners) listener()
  }

  /** Registers a listener that is called when a different host becomes the primary. */
  onMove(listener: () => void): Disposable {
    this.#listeners.add(listener)
    return { [Symbol.dispose]: () => void this.#listeners.delete(listener) }
  }
}
