import { Anchor, Autocomplete, Group, NumberInput, Select, Text, Textarea } from "@mantine/core"
import { useEffect, useState } from "react"
import type { Model } from "tollgate-contract/catalog.ts"
import { countText } from "../../../format/numbers.ts"
import type { OpenaiForm } from "../code/operation-samples.ts"
import { useOperation } from "../use-operation.ts"
import { OperationForm, useModelChoice } from "./operation-form.tsx"
import { t } from "../../../languages/text.ts"

/** The call in OpenAI's clients. */
const SAMPLE: OpenaiForm = {
  method: "audio.speech.create",
  needs: 'import { writeFile } from "node:fs/promises"',
  python: `answer.write_to_file("speech")`,
  javascript: `await writeFile("speech", Buffer.from(await answer.arrayBuffer()))`,
}

const KINDS: readonly Model["kind"][] = ["speech"]
const VOICES = ["alloy", "echo", "fable", "onyx", "nova", "shimmer"]
/** Maximum length of a text in characters. */
const MAX_CHARACTERS = 4_096
const FORMATS = ["mp3", "wav", "opus", "aac", "flac", "pcm"]

interface Spoken {
  readonly url: string
  readonly bytes: number
}

/** Converts text to speech. */
export function SpeechTab({ model: options }: { readonly model: string | undefined }) {
  const [text, setText] = useState(t("Good morning. The road ahead is open, and the toll is paid."))
  const [voice, setVoice] = useState("alloy")
  const [format, setFormat] = useState("mp3")
  const [sentFormat, setSentFormat] = useState("mp3")
  const [speed, setSpeed] = useState(1)
  const choice = useModelChoice(KINDS, options)
  const operation = useOperation(readSound)
  const url = operation.result?.url
  useEffect(() => () => (url === undefined ? undefined : URL.revokeObjectURL(url)), [url])

  function send(model: string) {
    setSentFormat(format)
    const options = { voice, response_format: format, ...(speed !== 1 && { speed }) }
    operation.send("/v1/audio/speech", { model, input: text, ...options })
  }

  return (
    <OperationForm
      kinds={KINDS}
      choice={choice}
      operation={operation}
      sample={SAMPLE}
      action={t("Speak")}
      missing={missing(text, voice)}
      onSend={send}
      result={operation.result !== undefined && <Sound {...operation.result} format={sentFormat} />}
    >
      <Textarea
        label={t("Text")}
        description={t("{count} of {max} characters", {
          count: countText(text.length),
          max: countText(MAX_CHARACTERS),
        })}
        autosize
        minRows={3}
        maxRows={12}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
      />
      <Group gap="sm" align="flex-end">
        <Autocomplete label={t("Voice")} data={VOICES} value={voice} onChange={setVoice} />
        <Select
          label={t("Format")}
          data={FORMATS}
          value={format}
          allowDeselect={false}
          onChange={(value) => setFormat(value ?? "mp3")}
        />
        <NumberInput
          label={t("Speed")}
          min={0.25}
          max={4}
          step={0.25}
          decimalScale={2}
          value={speed}
          onChange={(value) => setSpeed(typeof value === "number" ? value : 1)}
        />
      </Group>
    </OperationForm>
  )
}

function missing(text: string, voice: string): string | undefined {
  if (text.trim() === "") return t("Enter a text first.")
  return voice.trim() === "" ? t("Enter a voice first.") : undefined
}

async function readSound(response: Response): Promise<Spoken> {
  const sound = await response.blob()
  return { url: URL.createObjectURL(sound), bytes: sound.size }
}

function Sound({ url, bytes, format }: Spoken & { readonly format: string }) {
  return (
    <>
      {format === "pcm" ? (
        <Text size="sm">
          {t("Raw samples (pcm) cannot be played here; they can be downloaded.")}
        </Text>
      ) : (
        // The user has just typed the spoken text, so it needs no captions.
        // oxlint-disable-next-line jsx-a11y/media-has-caption
        <audio controls src={url} aria-label={t("The speech")} />
      )}
      <Group gap="sm">
        <Anchor size="sm" href={url} download={`speech.${format}`}>
          {t("Download")}
        </Anchor>
        <Text size="sm" c="dimmed">
          {t("{size} KB", { size: countText(Math.ceil(bytes / 1_024)) })}
        </Text>
      </Group>
    </>
  )
}
