import {
  Anchor,
  Autocomplete,
  Group,
  NumberInput,
  SegmentedControl,
  Text,
  Textarea,
} from "@mantine/core"
import { useState } from "react"
import type { Model } from "tollgate-contract/catalog.ts"
import type { OpenaiForm } from "../code/operation-samples.ts"
import { useOperation } from "../use-operation.ts"
import { EditImage } from "./edit-image.tsx"
import type { EditFiles } from "./mask-drawing.ts"
import { OperationForm, useModelChoice } from "./operation-form.tsx"
import { t } from "../../../languages/text.ts"

/** The call in OpenAI's clients. */
const SAMPLE: OpenaiForm = {
  method: "images.generate",
  python: "print([item.b64_json or item.url for item in answer.data])",
  javascript: "console.log(answer.data.map((item) => item.b64_json ?? item.url))",
}

const KINDS: readonly Model["kind"][] = ["image"]
const SIZES = ["256x256", "512x512", "1024x1024", "1024x1536", "1536x1024"]

const TASKS = [
  { value: "generation", label: t("From a prompt") },
  { value: "edit", label: t("Edit an image") },
] as const

type Task = (typeof TASKS)[number]["value"]

interface MadeImage {
  readonly url: string
  readonly revisedPrompt: string | undefined
}

/** Generates images from a prompt, or edits the painted parts of an image. */
export function ImagesTab({ model: options }: { readonly model: string | undefined }) {
  const [task, setTask] = useState<Task>("generation")
  const [prompt, setPrompt] = useState(
    t("A small toll house beside a mountain road, in ink and watercolour"),
  )
  const [size, setSize] = useState("1024x1024")
  const [count, setCount] = useState(1)
  const [files, setFiles] = useState<EditFiles>()
  const choice = useModelChoice(KINDS, options)
  const operation = useOperation(readImages)

  function send(model: string) {
    // Requests base64, because this page may not load images from other hosts.
    if (task === "generation") {
      const options = { n: count, response_format: "b64_json", ...(size !== "" && { size }) }
      operation.send("/v1/images/generations", { model, prompt, ...options })
    } else if (files !== undefined) {
      operation.send("/v1/images/edits", editForm({ model, prompt, count, files }))
    }
  }

  return (
    <OperationForm
      kinds={KINDS}
      choice={choice}
      operation={operation}
      sample={SAMPLE}
      action={task === "generation" ? t("Generate images") : t("Edit the image")}
      missing={missing(prompt, task, files)}
      onSend={send}
      result={<MadeImages images={operation.result ?? []} />}
    >
      <SegmentedControl
        aria-label={t("Actions")}
        w="fit-content"
        value={task}
        onChange={(value) => setTask(value === "edit" ? "edit" : "generation")}
        data={[...TASKS]}
      />
      <Textarea
        label={t("Prompt")}
        autosize
        minRows={2}
        maxRows={8}
        value={prompt}
        onChange={(event) => setPrompt(event.currentTarget.value)}
      />
      {task === "edit" && <EditImage onChange={setFiles} />}
      <Group gap="sm" align="flex-start">
        {task === "generation" && (
          <Autocomplete
            label={t("Size")}
            description={t("Supported sizes depend on the model.")}
            data={SIZES}
            value={size}
            onChange={setSize}
          />
        )}
        <NumberInput
          label={t("Number of images")}
          description={t("1 to 10; each one is charged.")}
          min={1}
          max={10}
          allowDecimal={false}
          value={count}
          onChange={(value) => setCount(typeof value === "number" ? value : 1)}
        />
      </Group>
    </OperationForm>
  )
}

function missing(prompt: string, task: Task, files: EditFiles | undefined): string | undefined {
  if (prompt.trim() === "") return t("Enter a prompt first.")
  return task === "edit" && files === undefined ? t("Choose an image first.") : undefined
}

interface EditInput {
  readonly model: string
  readonly prompt: string
  readonly count: number
  readonly files: EditFiles
}

function editForm({ model, prompt, count, files }: EditInput): FormData {
  const form = new FormData()
  form.set("model", model)
  form.set("prompt", prompt)
  form.set("n", String(count))
  form.set("response_format", "b64_json")
  form.set("image", files.image, "image.png")
  form.set("mask", files.mask, "mask.png")
  return form
}

async function readImages(response: Response): Promise<readonly MadeImage[]> {
  const answer = (await response.json()) as {
    data?: { b64_json?: string; url?: string; revised_prompt?: string }[]
  }
  return (answer.data ?? []).flatMap(({ b64_json: data, url, revised_prompt: revisedPrompt }) => {
    const address = data === undefined ? url : `data:${typeOf(data)};base64,${data}`
    return address === undefined ? [] : [{ url: address, revisedPrompt }]
  })
}

/** Detects the type from the first bytes in base64, because the response does not contain it. */
function typeOf(base64: string): string {
  if (base64.startsWith("/9j/")) return "image/jpeg"
  return base64.startsWith("UklGR") ? "image/webp" : "image/png"
}

function MadeImages({ images }: { readonly images: readonly MadeImage[] }) {
  return (
    <div className="generated-images">
      {images.map((image, index) => (
        <figure key={index.toString()}>
          <img
            src={image.url}
            alt={image.revisedPrompt ?? t("Image {number}", { number: index + 1 })}
          />
          <figcaption>
            {image.revisedPrompt !== undefined && (
              <Text size="xs" c="dimmed">
                {image.revisedPrompt}
              </Text>
            )}
            <Anchor size="sm" href={image.url} download={`image-${index + 1}`}>
              {t("Download")}
            </Anchor>
          </figcaption>
        </figure>
      ))}
    </div>
  )
}
