// The programs of table 1 in Strejček and Trtík, "Abstracting path conditions" (2012), with bounds of their own in place of
// zeros at the ends of strings. Each asks whether its throw can be reached.
class Table1 {
    static void Hello(char[] text) {
        char[] word1 = {'H', 'e', 'l', 'l', 'o'};
        bool has1 = false;
        for (int i = 0; i < text.Length; i++) {
            int j = i;
            int k = 0;
            while (k < word1.Length && j < text.Length && text[j] == word1[k]) {
                j++;
                k++;
            }
            if (k == word1.Length) {
                has1 = true;
                break;
            }
            if (j == text.Length) {
                break;
            }
        }
        if (has1) {
            throw new System.InvalidOperationException("hello");
        }
    }

    static void Hw(char[] text) {
        char[] word1 = {'H', 'e', 'l', 'l', 'o'};
        bool has1 = false;
        for (int i = 0; i < text.Length; i++) {
            int j = i;
            int k = 0;
            while (k < word1.Length && j < text.Length && text[j] == word1[k]) {
                j++;
                k++;
            }
            if (k == word1.Length) {
                has1 = true;
                break;
            }
            if (j == text.Length) {
                break;
            }
        }
        char[] word2 = {'W', 'o', 'r', 'l', 'd'};
        bool has2 = false;
        for (int i = 0; i < text.Length; i++) {
            int j = i;
            int k = 0;
            while (k < word2.Length && j < text.Length && text[j] == word2[k]) {
                j++;
                k++;
            }
            if (k == word2.Length) {
                has2 = true;
                break;
            }
            if (j == text.Length) {
                break;
            }
        }
        if (has1 && has2) {
            throw new System.InvalidOperationException("hw");
        }
    }

    static void Hwm(char[] text) {
        char[] word1 = {'H', 'e', 'l', 'l', 'o'};
        bool has1 = false;
        for (int i = 0; i < text.Length; i++) {
            int j = i;
            int k = 0;
            while (k < word1.Length && j < text.Length && text[j] == word1[k]) {
                j++;
                k++;
            }
            if (k == word1.Length) {
                has1 = true;
                break;
            }
            if (j == text.Length) {
                break;
            }
        }
        char[] word2 = {'W', 'o', 'r', 'l', 'd'};
        bool has2 = false;
        for (int i = 0; i < text.Length; i++) {
            int j = i;
            int k = 0;
            while (k < word2.Length && j < text.Length && text[j] == word2[k]) {
                j++;
                k++;
            }
            if (k == word2.Length) {
                has2 = true;
                break;
            }
            if (j == text.Length) {
                break;
            }
        }
        char[] word3 = {'A', 't'};
        bool has3 = false;
        for (int i = 0; i < text.Length; i++) {
            int j = i;
            int k = 0;
            while (k < word3.Length && j < text.Length && text[j] == word3[k]) {
                j++;
                k++;
            }
            if (k == word3.Length) {
                has3 = true;
                break;
            }
            if (j == text.Length) {
                break;
            }
        }
        char[] word4 = {'M', 'i', 'c', 'r', 'o', 's', 'o', 'f', 't', '!'};
        bool has4 = false;
        for (int i = 0; i < text.Length; i++) {
            int j = i;
            int k = 0;
            while (k < word4.Length && j < text.Length && text[j] == word4[k]) {
                j++;
                k++;
            }
            if (k == word4.Length) {
                has4 = true;
                break;
            }
            if (j == text.Length) {
                break;
            }
        }
        if (has1 && has2 && has3 && has4) {
            throw new System.InvalidOperationException("hwm");
        }
    }

    static void MatrIR(int[,] a, int m, int n) {
        bool w = false;
        for (int i = 0; i < m; i++) {
            int k = 0;
            for (int j = i; j < n; j++) {
                if (a[i, j] > 10 && a[i, j] < 100) {
                    k++;
                }
            }
            if (k > 15) {
                w = true;
                break;
            }
        }
        if (m > 20 && n > 20 && w) {
            throw new System.InvalidOperationException("matrIR");
        }
    }

    static void WinDriver(int[,] packets, int[] buffer, int most, int size) {
        for (int i = 0; i < most; i++) {
            for (int j = 0; j < size; j++) {
                packets[i, j] = 0;
            }
        }
        int count = buffer[0];
        if (count > most || count < 0) {
            return;
        }
        for (int i = 0; i < count; i++) {
            int id = buffer[i * (size + 1) + 1];
            if (id >= most || id < 0) {
                return;
            }
            for (int j = 0; j < size; j++) {
                packets[id, j] = buffer[i * (size + 1) + j + 2];
            }
        }
        if (count < most && packets[count, 0] != 0 && size > 20) {
            throw new System.InvalidOperationException("winDriver");
        }
    }

    static void OneLoop(int n) {
        int i = 0;
        while (i < n) {
            i += 4;
        }
        if (i == 15) {
            throw new System.InvalidOperationException("oneLoop");
        }
    }

    static void TwoLoops(int n) {
        int i = 0;
        int j = 0;
        while (i < n) {
            i += 4;
        }
        while (i != j + 7) {
            j += 2;
        }
        throw new System.InvalidOperationException("twoLoops");
    }
}
