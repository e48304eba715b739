/** Identifies a paragraph of the summary, or of the reasoning itself. */
export interface ReasoningPlace {
  readonly kind: "summary" | "content"
  readonly index: number
}

/** A section of an item: a content part of a message, or a paragraph of reasoning. */
interface OpenSection {
  /** The position in the canon's text part at which the section's text starts; undefined until some text is sent. */
  start: number | undefined
  sent: string
  citations: number
  hasLogprobs: boolean
}

/** An output item that may be incomplete. */
export interface OpenItem {
  readonly type: string
  readonly sections: Map<number, OpenSection>
  /** The number of the call in the canon's events; negative until the call is announced. */
  call: number
  hasArguments: boolean
  isDone: boolean
  /** Whether the summary or the reasoning itself is used as the text of the reasoning. */
  reasoning?: ReasoningPlace["kind"]
}

/** Returns a section of an item, and creates it if necessary. */
export function sectionOf(item: OpenItem, index: number): OpenSection {
  let section = item.sections.get(index)
  if (section === undefined) {
    section = { start: undefined, sent: "", citations: 0, hasLogprobs: false }
    item.sections.set(index, section)
  }
  return section
}

/** Returns the rest of a text whose beginning was sent; empty if the texts differ. */
export function unsent(section: OpenSection, whole: string | undefined): string {
  return whole?.startsWith(section.sent) ? whole.slice(section.sent.length) : ""
}
