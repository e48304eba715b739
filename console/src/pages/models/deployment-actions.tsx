import "./deployments.css"
import { Button, Group, List, Loader, Stack, Text } from "@mantine/core"
import { useMutation } from "@tanstack/react-query"
import { useState } from "react"
import type { Model, ModelEntry, ModelTest } from "tollgate-contract/catalog.ts"
import { api } from "../../api/client.ts"
import { refresh } from "../../api/refresh.ts"
import { durationText } from "../../format/numbers.ts"
import { ErrorNotice } from "../../ui/error-notice.tsx"
import { IconEdit, IconPlugConnected } from "../../ui/icons.tsx"
import { notifyDone } from "../../ui/notify.tsx"
import { Status } from "../../ui/status.tsx"
import { DeploymentForm } from "./deployment-form.tsx"
import { modelPath } from "./filter-models.ts"
import { t } from "../../languages/text.ts"

/** The operator's actions for the deployments of a model. */
export function DeploymentActions({ model }: { readonly model: Model }) {
  const [isEditing, setEditing] = useState(false)
  const test = useMutation({
    mutationFn: () => api("POST /models/test", { body: { model: model.id } }),
  })
  const save = useMutation({
    mutationFn: (body: ModelEntry) =>
      api("PUT /models/{provider}/{name...}", { path: modelPath(model.id), body }),
    onSuccess: async () => {
      setEditing(false)
      await refresh("/models", "/providers")
      notifyDone(t("The deployments of {id} have been changed.", { id: model.id }))
    },
  })
  return (
    <Stack gap="sm" mt="sm">
      <ErrorNotice error={save.error ?? test.error} />
      {isEditing ? (
        <DeploymentForm
          model={model}
          isBusy={save.isPending}
          onSave={(entry) => save.mutate(entry)}
          onCancel={() => setEditing(false)}
        />
      ) : (
        <Group gap="xs">
          <Button
            size="xs"
            variant="default"
            leftSection={<IconPlugConnected size={14} />}
            onClick={() => test.mutate()}
            loading={test.isPending}
          >
            {t("Test [button]")}
          </Button>
          {!model.is_locked && (
            <Button
              size="xs"
              variant="default"
              leftSection={<IconEdit size={14} />}
              onClick={() => setEditing(true)}
            >
              {t("Edit deployments")}
            </Button>
          )}
        </Group>
      )}
      {test.isPending && <Loader size="sm" />}
      {test.data !== undefined && !test.isPending && <Findings findings={test.data.data} />}
    </Stack>
  )
}

function Findings({ findings }: { readonly findings: ModelTest["data"] }) {
  return (
    <List listStyleType="none" spacing="xs" aria-label={t("Test results")}>
      {findings.map(({ provider, model, ok, is_listed: isListed, message, duration_ms: time }) => (
        <List.Item key={`${provider} ${model}`}>
          <Group gap="xs">
            <Status
              value={ok ? "ok" : "failed"}
              {...(ok && isListed === false && { color: "yellow" })}
            />
            <Text size="sm" className="anywhere">
              {provider} <span className="dim">{durationText(time)}</span>
            </Text>
          </Group>
          <Text size="xs" c="dimmed">
            {message}
          </Text>
        </List.Item>
      ))}
    </List>
  )
}
