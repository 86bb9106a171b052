export const writeReport = () => {};
