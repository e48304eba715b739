/**
 * Splits a text stream of server-sent events into the data of each event. An event may be spread over several chunks.
 */
export class FrameReader {
  #rest = ""

  /** Returns the data of every event that this chunk completes. */
  push(chunk: string): string[] {
    // A carriage return at the end may be the first half of a line break.
    const text = this.#rest + chunk
    const held = text.endsWith("\r") ? 1 : 0
    const whole = text.slice(0, text.length - held).replaceAll("\r\n", "\n")
    const blocks = whole.split("\n\n")
    this.#rest = (blocks.pop() ?? "") + text.slice(text.length - held)
    return blocks.map(dataOf).filter((data) => data !== "")
  }
}

function dataOf(block: string): string {
  return block
    .split("\n")
    .filter((line) => line.startsWith("data:"))
    .map((line) => line.slice(line.startsWith("data: ") ? 6 : 5))
    .join("\n")
}
