import { Group, SegmentedControl, Select, TextInput } from "@mantine/core"
import { useState } from "react"
import type { Model } from "tollgate-contract/catalog.ts"
import { Snippet } from "../../../ui/snippet.tsx"
import { useOperation } from "../use-operation.ts"
import { OperationForm, useModelChoice } from "./operation-form.tsx"
import { SoundSource } from "./sound-source.tsx"
import { t } from "../../../languages/text.ts"

const KINDS: readonly Model["kind"][] = ["transcription"]
const FORMATS = ["json", "text", "srt", "vtt", "verbose_json"]

type Task = "transcriptions" | "translations"

/** Transcribes audio in its own language, or translates it to English. */
export function TranscriptionTab({ model: options }: { readonly model: string | undefined }) {
  const [task, setTask] = useState<Task>("transcriptions")
  const [file, setFile] = useState<File>()
  const [language, setLanguage] = useState("")
  const [prompt, setPrompt] = useState("")
  const [format, setFormat] = useState("json")
  const choice = useModelChoice(KINDS, options)
  const operation = useOperation(readText)

  function send(model: string) {
    if (file === undefined) return
    const form = new FormData()
    form.set("model", model)
    form.set("response_format", format)
    if (prompt.trim() !== "") form.set("prompt", prompt)
    if (task === "transcriptions" && language.trim() !== "") form.set("language", language.trim())
    form.set("file", file, file.name)
    operation.send(`/v1/audio/${task}`, form)
  }

  return (
    <OperationForm
      kinds={KINDS}
      choice={choice}
      operation={operation}
      action={task === "transcriptions" ? t("Transcribe") : t("Translate")}
      missing={file === undefined ? t("Choose or record audio first.") : undefined}
      onSend={send}
      result={<Snippet code={operation.result ?? ""} label={t("Copy the text")} />}
    >
      <SegmentedControl
        aria-label={t("Actions")}
        w="fit-content"
        value={task}
        onChange={(value) => setTask(value === "translations" ? "translations" : "transcriptions")}
        data={[
          { value: "transcriptions", label: t("Transcribe") },
          { value: "translations", label: t("Translate into English") },
        ]}
      />
      <SoundSource file={file} onChange={setFile} />
      <Group gap="sm" align="flex-end">
        <Select
          label={t("Format")}
          data={FORMATS}
          value={format}
          allowDeselect={false}
          onChange={(value) => setFormat(value ?? "json")}
        />
        {task === "transcriptions" && (
          <TextInput
            label={t("Language")}
            placeholder={t("Detect")}
            value={language}
            maxLength={10}
            onChange={(event) => setLanguage(event.currentTarget.value)}
          />
        )}
        <TextInput
          label={t("Prompt")}
          placeholder={t("Names and words to expect")}
          value={prompt}
          onChange={(event) => setPrompt(event.currentTarget.value)}
        />
      </Group>
    </OperationForm>
  )
}

async function readText(response: Response): Promise<string> {
  const text = await response.text()
  if (response.headers.get("content-type")?.includes("json") !== true) return text
  const answer = JSON.parse(text) as { text?: string }
  const isPlain = Object.keys(answer).length === 1 && answer.text !== undefined
  return isPlain ? (answer.text ?? "") : JSON.stringify(answer, null, 2)
}
