/** Collects notes for the person who updates the lists, as lines by topic. */
export class Notes {
  readonly #lines = new Map<string, string[]>()

  /** Adds one line to a topic. */
  add(topic: string, line: string): void {
    const lines = this.#lines.get(topic) ?? []
    lines.push(line)
    this.#lines.set(topic, lines)
  }

  /** Returns the lines of a topic in the order in which they were added. */
  of(topic: string): readonly string[] {
    return this.#lines.get(topic) ?? []
  }

  /** Returns one line for each topic. With `verbose`, returns every line. */
  report(verbose: boolean): string {
    const topics = [...this.#lines].map(([topic, lines]) =>
      verbose
        ? [`${topic} (${lines.length})`, ...lines.map((line) => `  ${line}`)].join("\n")
        : `${topic}: ${lines.length}`,
    )
    return topics.join("\n")
  }
}
