/** Identifies a paragraph of the summary or of the reasoning itself. */
export interface ReasoningPlace {
  readonly kind: "summary" | "content"
  readonly index: number
}

/** A section of an item: a content of a message, or a paragraph of reasoning. */
interface OpenSection {
  /** The start of its text in the canon's text part; undefined until some of it is sent. */
  start: number | undefined
  sent: string
  citations: number
  hasLogprobs: boolean
}

/** An output item that may be incomplete. */
export interface OpenItem {
  readonly type: string
  readonly sections: Map<number, OpenSection>
  /** The canon's number of the call; negative until the call is announced. */
  call: number
  hasArguments: boolean
  isDone: boolean
  /** The source of the reasoning, of the two possible ones. */
  reasoning?: ReasoningPlace["kind"]
}

/** The section of an item, created if necessary. */
export function sectionOf(item: OpenItem, index: number): OpenSection {
  let section = item.sections.get(index)
  if (section === undefined) {
    section = { start: undefined, sent: "", citations: 0, hasLogprobs: false }
    item.sections.set(index, section)
  }
  return section
}

/** The rest of a text whose start was sent; empty if the texts differ. */
export function unsent(section: OpenSection, whole: string | undefined): string {
  return whole?.startsWith(section.sent) ? whole.slice(section.sent.length) : ""
}
