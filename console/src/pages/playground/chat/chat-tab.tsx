import { useMediaQuery } from "@mantine/hooks"
import { useState } from "react"
import { useSession } from "../../../session.tsx"
import {
  type ChatSettings,
  DEFAULT_SETTINGS,
  extraFault,
  type JsonObject,
} from "../conversation.ts"
import { CodeModal } from "../code-modal.tsx"
import { chatSamples, shortened } from "../code/samples.ts"
import { useConversation } from "../use-conversation.ts"
import { usePayment } from "../use-payer.tsx"
import { ChatBar } from "./chat-bar.tsx"
import { Composer } from "./composer.tsx"
import { ExchangeView } from "./exchange-view.tsx"
import { SettingsPlace } from "./settings-panel.tsx"
import { Spent } from "./spent.tsx"
import { useColumns } from "./use-columns.ts"
import { useFollow } from "./use-follow.ts"
import { Welcome } from "./welcome.tsx"

/** Conversations with one text model, or with two side by side. */
export function ChatTab({ model: options }: { readonly model: string | undefined }) {
  const { base_url: base } = useSession()
  const { payer, obstacle } = usePayment()
  const columns = useColumns(options)
  const conversation = useConversation(payer)
  const [settings, setSettings] = useState<ChatSettings>(DEFAULT_SETTINGS)
  const [areSettingsOpen, setSettingsOpen] = useState(false)
  const [shown, setShown] = useState<JsonObject>()
  const isWide = useMediaQuery("(min-width: 75em)", true, { getInitialValueInEffect: false })
  const { exchanges, isRunning } = conversation
  const { models } = columns
  const end = useFollow(exchanges)

  return (
    <div className="chat" data-settings={isWide}>
      <div className="chat-main">
        <ChatBar columns={columns} {...(!isWide && { onSettings: () => setSettingsOpen(true) })} />
        <div className="exchanges">
          {exchanges.length === 0 && <Welcome />}
          {exchanges.map((exchange) => (
            <ExchangeView
              key={exchange.id}
              exchange={exchange}
              isBusy={isRunning}
              onRetry={(column) => {
                const model = models[column] ?? exchange.answers[column]?.model
                if (model) conversation.retry({ id: exchange.id, column }, model, settings)
              }}
              onCode={(answer) => setShown(answer.body)}
            />
          ))}
          <div ref={end} />
        </div>
        <div className="chat-foot">
          <Spent exchanges={exchanges} onClear={conversation.clear} />
          <Composer
            isRunning={isRunning}
            obstacle={obstacle ?? whyNot(models, settings)}
            onStop={conversation.stop}
            onSend={(question) =>
              conversation.ask(
                question,
                models.flatMap((model) => model ?? []),
                settings,
              )
            }
          />
        </div>
      </div>
      <SettingsPlace
        isDocked={isWide}
        isOpen={areSettingsOpen}
        onClose={() => setSettingsOpen(false)}
        settings={settings}
        onChange={setSettings}
      />
      <CodeModal
        samples={shown && chatSamples(base, shown)}
        shown={shown && chatSamples(base, shortened(shown))}
        onClose={() => setShown(undefined)}
      />
    </div>
  )
}

function whyNot(models: readonly (string | null)[], settings: ChatSettings): string | undefined {
  if (models.includes(null)) return "Choose a model first."
  if (extraFault(settings.extra) === undefined) return undefined
  return "The additional fields must be a JSON object."
}
