import { Modal, Tabs, Text } from "@mantine/core"
import { CopyButton } from "../../../ui/copy-button.tsx"
import { Snippet } from "../../../ui/snippet.tsx"
import { chatSamples, shortened } from "../code/samples.ts"
import type { JsonObject } from "../conversation.ts"

export interface CodeModalProperties {
  readonly body: JsonObject | undefined
  /** The gateway's address, without `/v1`. */
  readonly base: string
  readonly onClose: () => void
}

/** The request that was sent, as code for each client. What is copied is whole; what is shown, cut. */
export function CodeModal({ body, base, onClose }: CodeModalProperties) {
  return (
    <Modal opened={body !== undefined} onClose={onClose} title="This request as code" size="xl">
      {body !== undefined && <Samples body={body} base={base} />}
    </Modal>
  )
}

function Samples({ body, base }: { readonly body: JsonObject; readonly base: string }) {
  const whole = chatSamples(base, body)
  const cut = new Map(chatSamples(base, shortened(body)).map(({ id, code }) => [id, code]))
  return (
    <Tabs defaultValue="curl" keepMounted={false}>
      <Tabs.List mb="sm">
        {whole.map(({ id, label }) => (
          <Tabs.Tab key={id} value={id}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {whole.map(({ id, label, code }) => (
        <Tabs.Panel key={id} value={id}>
          {cut.get(id) === code ? (
            <Snippet code={code} label={`Copy the code for ${label}`} />
          ) : (
            <>
              <CopyButton value={code} label={`Copy the code for ${label}`} text="Copy all of it" />
              <Snippet code={cut.get(id) ?? code} label="Copy the shortened code" />
            </>
          )}
        </Tabs.Panel>
      ))}
      <Text size="sm" c="dimmed" mt="sm">
        Set <code>TOLLGATE_API_KEY</code> to a key of yours. The one that the playground uses ends
        within the hour.
      </Text>
    </Tabs>
  )
}
