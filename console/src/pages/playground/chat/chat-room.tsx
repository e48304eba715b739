import { useMediaQuery } from "@mantine/hooks"
import { useState } from "react"
import { useSession } from "../../../session.tsx"
import { CodeModal } from "../code-modal.tsx"
import { chatSamples, shortened } from "../code/samples.ts"
import {
  chatBody,
  type ChatSettings,
  type Column,
  extraFault,
  type JsonObject,
  type Question,
  toolsFault,
} from "../conversation.ts"
import {
  type Exchange,
  type ResponsePosition,
  type ShownResponse,
  turnsUntil,
} from "../exchanges.ts"
import { type Said, useKeeping } from "../kept/use-keeping.ts"
import { useConversation } from "../use-conversation.ts"
import { usePayment } from "../use-payer.tsx"
import { ChatBar } from "./chat-bar.tsx"
import { Composer } from "./composer.tsx"
import { ExchangeView, type ExchangeViewProperties } from "./exchange-view.tsx"
import { SettingsPlace } from "./settings-panel.tsx"
import { Spent } from "./spent.tsx"
import { useColumns } from "./use-columns.ts"
import { useFollow } from "./use-follow.ts"
import { Welcome } from "./welcome.tsx"
import { t } from "../../../languages/text.ts"

export interface ChatRoomProperties {
  readonly begun: Said
  /** The initial model of a conversation that has no model yet. */
  readonly requested: string | undefined
  readonly draft: Question | undefined
  readonly onKeep: (said: Said) => void
  readonly onNew: () => void
  readonly onList: (() => void) | undefined
}

/** Shows a conversation with one model, or with several models side by side. */
export function ChatRoom({ begun, requested, draft, onKeep, onNew, onList }: ChatRoomProperties) {
  const { payer, obstacle } = usePayment()
  const columns = useColumns(begun.columns, requested)
  const conversation = useConversation(payer, begun.exchanges)
  const [settings, setSettings] = useState<ChatSettings>(begun.settings)
  const [areSettingsOpen, setSettingsOpen] = useState(false)
  const [shown, setShown] = useState<JsonObject>()
  const isWide = useMediaQuery("(min-width: 75em)", true, { getInitialValueInEffect: false })
  const { exchanges, isRunning } = conversation
  useKeeping(begun, { columns: columns.all, settings, exchanges }, isRunning, onKeep)

  function showCode(position: ResponsePosition, { body, model }: ShownResponse) {
    setShown(body ?? chatBody(model, settings, turnsUntil(exchanges, position)))
  }

  function retry(position: ResponsePosition, response: ShownResponse) {
    const column = columns.all.find(({ id }) => id === position.column)
    conversation.retry(position, column?.model ?? response.model, settings)
  }

  function send(question: Question) {
    const asked = columns.all.flatMap(({ id, model }) => (model === null ? [] : [{ id, model }]))
    conversation.ask(question, asked, settings)
  }

  return (
    <div className="chat" data-settings={isWide}>
      <div className="chat-main">
        <ChatBar
          columns={columns}
          isRunning={isRunning}
          onNew={onNew}
          onList={onList}
          {...(!isWide && { onSettings: () => setSettingsOpen(true) })}
        />
        <Exchanges
          exchanges={exchanges}
          isBusy={isRunning || obstacle !== undefined}
          onRetry={retry}
          onCode={showCode}
          onResults={(position, results) => conversation.giveResults(position, results, settings)}
        />
        <div className="chat-foot">
          <Spent exchanges={exchanges} />
          <Composer
            isRunning={isRunning}
            obstacle={obstacle ?? whyNot(columns.all, settings)}
            draft={draft}
            onStop={conversation.stop}
            onSend={send}
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
      <SentCode body={shown} onClose={() => setShown(undefined)} />
    </div>
  )
}

/** Shows a request as code. */
function SentCode({
  body,
  onClose,
}: {
  readonly body: JsonObject | undefined
  readonly onClose: () => void
}) {
  const { base_url: base } = useSession()
  return (
    <CodeModal
      samples={body && chatSamples(base, body)}
      shown={body && chatSamples(base, shortened(body))}
      onClose={onClose}
    />
  )
}

interface ExchangesProperties extends Omit<ExchangeViewProperties, "exchange"> {
  readonly exchanges: readonly Exchange[]
}

function Exchanges({ exchanges, ...properties }: ExchangesProperties) {
  const end = useFollow(exchanges)
  return (
    <div className="exchanges">
      {exchanges.length === 0 && <Welcome />}
      {exchanges.map((exchange) => (
        <ExchangeView key={exchange.id} exchange={exchange} {...properties} />
      ))}
      <div ref={end} />
    </div>
  )
}

function whyNot(columns: readonly Column[], settings: ChatSettings): string | undefined {
  if (columns.some(({ model }) => model === null)) return t("Choose a model first.")
  if (toolsFault(settings.tools) !== undefined) return t("The tools must be a JSON array.")
  if (extraFault(settings.extra) === undefined) return undefined
  return t("The additional fields must be a JSON object.")
}
