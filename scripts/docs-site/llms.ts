/** Creates llms.txt and llms-full.txt (llmstxt.org), which language models read instead of the site. */

export interface ReadPage {
  /** The path of the page on the site, without an extension. */
  readonly address: string
  readonly title: string
  readonly text: string
}

const HEAD = `# Tollgate

> A gateway to every AI model that you host: one base URL, one API key, prepaid credits. Callers use the SDKs of OpenAI,
> Anthropic or Google.
`

/** Returns the list of all pages. */
export function llmsIndex(sections: ReadonlyMap<string, readonly ReadPage[]>): string {
  const lists = [...sections].map(([section, pages]) => {
    const items = pages.map(({ title, address }) => `- [${title}](/${address}.md)`)
    return `## ${section}\n\n${items.join("\n")}\n`
  })
  return `${HEAD}\n${lists.join("\n")}`
}

/** Returns all pages as one text. */
export function llmsFull(sections: ReadonlyMap<string, readonly ReadPage[]>): string {
  const texts = [...sections.values()]
    .flat()
    .map(({ address, text }) => `<!-- ${address} -->\n\n${text}`)
  return `${HEAD}\n${texts.join("\n\n---\n\n")}`
}
