    /// <summary>Writes all elements of an array.</summary>
    static void Fill(System.Array array, object value)
    {
        int[] at = new int[array.Rank];
        for (long left = array.LongLength; left > 0; left--)
        {
            array.SetValue(value, at);
            for (int i = at.Length - 1; i >= 0 && ++at[i] == array.GetLength(i); i--)
            {
                at[i] = 0;
            }
        }
    }
