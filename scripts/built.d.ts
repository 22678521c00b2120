/** Whether dist is what the last build made of the present sources. */
export declare function isBuilt(): boolean;
