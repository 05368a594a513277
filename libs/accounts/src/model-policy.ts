/** Which models a key may use: only those of the list, or all but those of the list. */
export interface ModelPolicy {
  mode: 'allow' | 'block';
  models: string[];
}

/** The columns of a key's policy. */
export interface ModelPolicyColumns {
  modelPolicyMode: ModelPolicy['mode'] | null;
  modelPolicyModels: string[];
}

export function toModelPolicy(columns: ModelPolicyColumns): ModelPolicy | null {
  const { modelPolicyMode: mode, modelPolicyModels: models } = columns;
  return mode === null ? null : { mode, models };
}

export function fromModelPolicy(policy: ModelPolicy | null): ModelPolicyColumns {
  return { modelPolicyMode: policy?.mode ?? null, modelPolicyModels: policy?.models ?? [] };
}
