/** Returns the parsed JSON of each event of a stream. OpenAI's end marker is omitted, because it is not JSON. */
export function dataOf(stream: string): readonly unknown[] {
  return stream.split(/\r?\n/).flatMap((line) => {
    if (!line.startsWith("data:")) return []
    const text = line.slice("data:".length).trim()
    return text === "[DONE]" || text === "" ? [] : [JSON.parse(text) as unknown]
  })
}

/** Counts frames in the same way as `ResponseReader`. */
export function countFrames(stream: string): number {
  return stream.split("\n\n").length - 1
}
