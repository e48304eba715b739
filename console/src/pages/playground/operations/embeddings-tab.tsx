import { Table, Text } from "@mantine/core"
import { useState } from "react"
import type { Model } from "tollgate-contract/catalog.ts"
import type { OpenaiForm } from "../code/operation-samples.ts"
import { useOperation } from "../use-operation.ts"
import { linesOf, similarities } from "../vectors.ts"
import { LinesField } from "./lines-field.tsx"
import { OperationForm, useModelChoice } from "./operation-form.tsx"
import { t } from "../../../languages/text.ts"
import { decimalText } from "../../../format/numbers.ts"

/** The call in OpenAI's clients. */
const SAMPLE: OpenaiForm = {
  method: "embeddings.create",
  python: "print([len(item.embedding) for item in answer.data])",
  javascript: "console.log(answer.data.map((item) => item.embedding.length))",
}

const KINDS: readonly Model["kind"][] = ["embedding"]
const MAX_TEXTS = 20
const EXAMPLE = t(
  "A cat sleeps on the sofa.\nA kitten naps on the couch.\nThe invoice is due on Friday.",
)

interface Embedded {
  readonly texts: readonly string[]
  readonly vectors: readonly (readonly number[])[]
}

/** Converts texts to vectors and compares them. */
export function EmbeddingsTab({ model: options }: { readonly model: string | undefined }) {
  const [text, setText] = useState(EXAMPLE)
  const [sent, setSent] = useState<readonly string[]>([])
  const choice = useModelChoice(KINDS, options)
  const operation = useOperation(readVectors)
  const texts = linesOf(text)
  const { result: vectors } = operation

  return (
    <OperationForm
      kinds={KINDS}
      choice={choice}
      operation={operation}
      sample={SAMPLE}
      action={t("Embed")}
      missing={missing(texts)}
      onSend={(model) => {
        setSent(texts)
        operation.send("/v1/embeddings", { model, input: texts })
      }}
      result={vectors !== undefined && <Similarities texts={sent} vectors={vectors} />}
    >
      <LinesField label={t("Texts")} maxLines={MAX_TEXTS} value={text} onChange={setText} />
    </OperationForm>
  )
}

function missing(texts: readonly string[]): string | undefined {
  if (texts.length === 0) return t("Enter a text first.")
  return texts.length > MAX_TEXTS
    ? t("At most {max} texts at once.", { max: MAX_TEXTS })
    : undefined
}

async function readVectors(response: Response): Promise<readonly (readonly number[])[]> {
  const answer = (await response.json()) as { data?: { embedding?: number[] }[] }
  return (answer.data ?? []).map(({ embedding }) => embedding ?? [])
}

function Similarities({ texts, vectors }: Embedded) {
  const [first] = vectors
  return (
    <>
      <Text size="sm">
        {t(
          "{count, plural, one {# vector} other {# vectors}} of {dimensions, plural, one {# dimension} other {# dimensions}}. Cosine similarity; 1 means the same direction:",
          { count: vectors.length, dimensions: first?.length ?? 0 },
        )}
      </Text>
      <Table.ScrollContainer minWidth={160 + vectors.length * 64} type="native" tabIndex={0}>
        <Table aria-label={t("Cosine similarity of each pair of texts")} withRowBorders={false}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>{t("Text")}</Table.Th>
              {vectors.map((_, column) => (
                <Table.Th key={column.toString()} ta="right">
                  {column + 1}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {similarities(vectors).map((row, index) => (
              <Table.Tr key={index.toString()}>
                <Table.Th scope="row" fw={400} maw={320}>
                  <Text size="sm" truncate title={texts[index]}>
                    {index + 1}. {texts[index]}
                  </Text>
                </Table.Th>
                {row.map((value, column) => (
                  <td
                    key={column.toString()}
                    className="similar-cell"
                    style={{ background: shade(value) }}
                  >
                    {decimalText(value.toFixed(3))}
                  </td>
                ))}
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </>
  )
}

/** Returns a stronger color for a higher similarity, limited so that the number stays readable. */
function shade(value: number): string {
  const share = Math.round(Math.max(0, value) * 40)
  return `color-mix(in srgb, var(--mantine-primary-color-filled) ${share}%, transparent)`
}
