import { Modal, Tabs, Text } from "@mantine/core"
import { CopyButton } from "../../ui/copy-button.tsx"
import { Snippet } from "../../ui/snippet.tsx"
import { KEY_VARIABLE } from "./code/key-variable.ts"
import type { CodeSample } from "./code/samples.ts"
import { rich, t } from "../../languages/text.ts"

export interface CodeModalProperties {
  /** The samples; undefined if the dialog is closed. */
  readonly samples: readonly CodeSample[] | undefined
  /** The samples with shortened values, if very long values occur. */
  readonly shown?: readonly CodeSample[] | undefined
  readonly onClose: () => void
}

/** Shows a sent request as code for each client. The copy button copies the complete code. */
export function CodeModal({ samples, shown, onClose }: CodeModalProperties) {
  return (
    <Modal
      opened={samples !== undefined}
      onClose={onClose}
      title={t("This request as code")}
      size="xl"
    >
      {samples !== undefined && <Samples samples={samples} shown={shown ?? samples} />}
    </Modal>
  )
}

interface SamplesProperties {
  readonly samples: readonly CodeSample[]
  readonly shown: readonly CodeSample[]
}

function Samples({ samples, shown }: SamplesProperties) {
  const cut = new Map(shown.map(({ id, code }) => [id, code]))
  return (
    <Tabs defaultValue="curl" keepMounted={false}>
      <Tabs.List mb="sm" className="tabs-scroll">
        {samples.map(({ id, label }) => (
          <Tabs.Tab key={id} value={id}>
            {label}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {samples.map(({ id, label, code }) => (
        <Tabs.Panel key={id} value={id}>
          {cut.get(id) === code ? (
            <Snippet code={code} label={t("Copy the code for {label}", { label })} />
          ) : (
            <>
              <CopyButton value={code} label={t("Copy everything")} text={t("Copy everything")} />
              <Snippet code={cut.get(id) ?? code} label={t("Copy shortened code")} />
            </>
          )}
        </Tabs.Panel>
      ))}
      <Text size="sm" c="dimmed" mt="sm">
        {rich(
          "Set {variable} to one of your keys. The playground's own key expires within the hour.",
          { variable: <code>{KEY_VARIABLE}</code> },
        )}
      </Text>
    </Tabs>
  )
}
