import { Box, Group, Loader, Stack, Text, ThemeIcon } from "@mantine/core"
import { IconCheck } from "../../ui/icons.tsx"
import type { ReactNode } from "react"
import type { Key } from "tollgate-contract/keys.ts"
import { KeySnippets } from "../../ui/key-snippets.tsx"
import { LinkButton } from "../../ui/link-button.tsx"
import { Panel } from "../../ui/panel.tsx"
import { t } from "../../languages/text.ts"

export interface FirstStepsProperties {
  readonly keys: readonly Key[]
  /** Whether the account can pay for a request. */
  readonly hasCredits: boolean
  readonly isOperator: boolean
  /** Whether credits can be bought by card. */
  readonly hasCards: boolean
  readonly mayCreate: boolean
}

interface StepContent {
  readonly title: string
  readonly isDone: boolean
  readonly content: ReactNode
}

/** Guides a new user through the first steps: credits, a key, and a first request. */
export function FirstSteps(properties: FirstStepsProperties) {
  const { keys, hasCredits, mayCreate } = properties
  const active = keys.find((key) => key.status === "active")
  const steps: StepContent[] = [
    {
      title: t("Create a key"),
      isDone: active !== undefined,
      content: <KeyStep active={active} mayCreate={mayCreate} />,
    },
    {
      title: t("Call a model with it"),
      isDone: false,
      content: <KeySnippets secret="YOUR_KEY" models={active?.models ?? null} />,
    },
    { title: t("See it here"), isDone: false, content: <WaitingStep /> },
  ]
  if (!hasCredits) {
    const content = <CreditsStep {...properties} />
    steps.unshift({ title: t("Add credits"), isDone: false, content })
  }
  return (
    <Panel title={t("Your first request")} description={t("It takes about a minute.")}>
      <Stack gap="lg" mt="xs">
        {steps.map((step, index) => (
          <Step key={step.title} number={index + 1} {...step} />
        ))}
      </Stack>
    </Panel>
  )
}

/** Shows how this user can get credits: by a grant, a card, a code, or a request to the operator. */
function CreditsStep({ isOperator, hasCards, mayCreate }: FirstStepsProperties) {
  return (
    <>
      <Text size="sm" c="dimmed" mb="xs">
        {t("Requests are rejected until the account has credits.")}{" "}
        {creditsHelp({ isOperator, hasCards, mayCreate })}
      </Text>
      <Group gap="xs">
        {isOperator && (
          <LinkButton to="/credits" search={{ add: "entry" }}>
            {t("Grant credits")}
          </LinkButton>
        )}
        {!isOperator && mayCreate && hasCards && (
          <LinkButton to="/credits" search={{ add: "buy" }}>
            {t("Buy with a card")}
          </LinkButton>
        )}
        {!isOperator && mayCreate && (
          <LinkButton
            to="/credits"
            search={{ add: "redeem" }}
            variant={hasCards ? "default" : "filled"}
          >
            {t("Redeem a code")}
          </LinkButton>
        )}
      </Group>
    </>
  )
}

function creditsHelp({
  isOperator,
  hasCards,
  mayCreate,
}: Pick<FirstStepsProperties, "isOperator" | "hasCards" | "mayCreate">): string {
  if (isOperator) return t("A few are enough to try it.")
  if (!mayCreate) return t("Ask an owner of the account to add some.")
  return hasCards
    ? t("Buy some with a card, or redeem a code.")
    : t("Redeem a code, or ask the operator of this gateway for one.")
}

interface KeyStepProperties {
  readonly active: Key | undefined
  readonly mayCreate: boolean
}

function KeyStep({ active, mayCreate }: KeyStepProperties) {
  if (active !== undefined) {
    return (
      <Text size="sm" c="dimmed">
        {t(
          "You already have one: {name}. A lost secret cannot be shown again, but the key can be rotated.",
          { name: active.name },
        )}
      </Text>
    )
  }
  return (
    <>
      <Text size="sm" c="dimmed" mb="xs">
        {mayCreate
          ? t("Your program sends it with each request. It is shown only once, so copy it.")
          : t("You have read-only access here. Ask an account owner for a key.")}
      </Text>
      {mayCreate && (
        <LinkButton to="/keys" search={{ create: "1" }}>
          {t("Create a key")}
        </LinkButton>
      )}
    </>
  )
}

function WaitingStep() {
  return (
    <Group gap="xs">
      <Loader size="xs" aria-hidden />
      <Text size="sm" c="dimmed">
        {t("Waiting for the first request. This page updates automatically.")}
      </Text>
    </Group>
  )
}

interface StepProperties {
  readonly number: number
  readonly isDone: boolean
  readonly title: string
  readonly content: ReactNode
}

function Step({ number, isDone, title, content }: StepProperties) {
  return (
    <Group align="flex-start" wrap="nowrap" gap="md">
      <ThemeIcon variant={isDone ? "filled" : "light"} radius="xl" size={28}>
        {isDone ? <IconCheck size={16} aria-label={t("Done")} /> : <Text size="sm">{number}</Text>}
      </ThemeIcon>
      <Box style={{ flex: 1, minWidth: 0 }}>
        <Text fw={600} mb={4}>
          {title}
        </Text>
        {content}
      </Box>
    </Group>
  )
}
