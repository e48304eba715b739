/** The JSON of each event of a stream; the end mark of OpenAI's, which is none, is left out. */
export function dataOf(stream: string): readonly unknown[] {
  return stream.split(/\r?\n/).flatMap((line) => {
    if (!line.startsWith("data:")) return []
    const text = line.slice("data:".length).trim()
    return text === "[DONE]" || text === "" ? [] : [JSON.parse(text) as unknown]
  })
}

/** Frames as `AnswerReader` counts them. */
export function countFrames(stream: string): number {
  return stream.split("\n\n").length - 1
}
