import type { Model } from "tollgate-contract/catalog.ts"

export const TABS = ["chat", "embeddings", "rerank", "images", "speech", "transcription"] as const
export type Tab = (typeof TABS)[number]

const TAB_OF_KIND: Readonly<Record<Model["kind"], Tab>> = {
  chat: "chat",
  embedding: "embeddings",
  rerank: "rerank",
  image: "images",
  speech: "speech",
  transcription: "transcription",
}

/** Where a model of a kind is tried. */
export function tabOfKind(kind: Model["kind"]): Tab {
  return TAB_OF_KIND[kind]
}

/** What the playground's address may carry. */
export interface PlaygroundSearch {
  readonly tab?: Tab
  /** The model to begin with. */
  readonly model?: string
}

export function playgroundSearch(search: Record<string, unknown>): PlaygroundSearch {
  const tab = TABS.find((name) => name === search["tab"])
  const model = search["model"]
  return {
    ...(tab !== undefined && { tab }),
    ...(typeof model === "string" && model.length <= 200 && { model }),
  }
}
