import "@mantine/core/styles/Image.css"
import "./playground.css"
import { Tabs } from "@mantine/core"
import { getRouteApi } from "@tanstack/react-router"
import { type ComponentType, useEffect, useRef } from "react"
import { MODEL_KIND_NAMES, type ModelKind } from "tollgate-contract/model-kinds.ts"
import { Page } from "../../ui/page.tsx"
import { ChatTab } from "./chat/chat-tab.tsx"
import { EmbeddingsTab } from "./operations/embeddings-tab.tsx"
import { ImagesTab } from "./operations/images-tab.tsx"
import { ModerationTab } from "./operations/moderation-tab.tsx"
import { RerankTab } from "./operations/rerank-tab.tsx"
import { SpeechTab } from "./operations/speech-tab.tsx"
import { TranscriptionTab } from "./operations/transcription-tab.tsx"
import { playgroundSearch, tabOfKind } from "./tabs.ts"
import { PaymentProvider } from "./use-payer.tsx"
import { t } from "../../languages/text.ts"

const route = getRouteApi("/signed-in/playground")

/** The tab for each kind of model. Only the visible tab receives the selected model. */
const CONTENTS: Readonly<Record<ModelKind, ComponentType<{ readonly model: string | undefined }>>> =
  {
    chat: ChatTab,
    embedding: EmbeddingsTab,
    rerank: RerankTab,
    image: ImagesTab,
    speech: SpeechTab,
    transcription: TranscriptionTab,
    moderation: ModerationTab,
  }

const LABELS: Readonly<Record<ModelKind, string>> = {
  chat: t("Chat"),
  embedding: t("Embeddings"),
  rerank: t("Rerank"),
  image: t("Images"),
  speech: t("Speech"),
  transcription: t("Transcription"),
  moderation: t("Moderation"),
}

const TABS = MODEL_KIND_NAMES.map((kind) => {
  const name = tabOfKind(kind)
  return { name, label: LABELS[kind], Content: CONTENTS[kind] }
})

/** Lets the user try any model, and shows responses, response times and costs. */
export function PlaygroundPage() {
  const { tab = "chat", model } = playgroundSearch(route.useSearch())
  const navigate = route.useNavigate()
  const list = useRef<HTMLDivElement>(null)
  // On a phone the tabs are wider than the page, so the selected tab is scrolled into view.
  useEffect(() => {
    list.current
      ?.querySelector(`[aria-selected="true"]`)
      ?.scrollIntoView({ block: "nearest", inline: "center" })
  }, [tab])
  return (
    <Page
      title={t("Playground")}
      description={t("Try any model. Requests are charged to the account like any other.")}
    >
      <PaymentProvider>
        <Tabs
          value={tab}
          onChange={(chosen) =>
            void navigate({
              search: (before) => ({ ...before, tab: chosen ?? undefined, model: undefined }),
            })
          }
          // Conversations and images stay when the user switches tabs.
          keepMounted
        >
          <Tabs.List ref={list} className="tabs-scroll">
            {TABS.map(({ name, label }) => (
              <Tabs.Tab key={name} value={name}>
                {label}
              </Tabs.Tab>
            ))}
          </Tabs.List>
          {TABS.map(({ name, Content }) => (
            <Tabs.Panel key={name} value={name} pt="md">
              <Content model={tab === name ? model : undefined} />
            </Tabs.Panel>
          ))}
        </Tabs>
      </PaymentProvider>
    </Page>
  )
}
