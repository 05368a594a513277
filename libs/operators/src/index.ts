export * from './management-keys';
export * from './operator-sessions';
export * from './operators';
export * from './roles';
