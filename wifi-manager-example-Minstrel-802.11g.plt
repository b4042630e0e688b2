set terminal postscript eps color enh "Times-BoldItalic"
set output "wifi-manager-example-Minstrel-802.11g.eps"
set title "Results for 802.11g with Minstrel\n"
set xlabel "SNR (dB)"
set ylabel "Rate (Mb/s)"
set xrange [-6:30]
set yrange [0:60]
set key top left
plot "-"  title "802.11g-rate selected" with lines, "-"  title "802.11g-observed" with lines
27 54
26 54
25 54
24 54
23 54
22 54
21 54
20 54
19 54
18 48
17 48
16 36
15 36
14 36
13 36
12 24
11 24
10 24
9 18
8 18
7 18
6 18
5 12
4 12
3 9
2 6
1 6
0 2
-1 2
-2 6
-3 1
-4 6
-5 5.5
e
27 17.2032
26 19.1037
25 17.1213
24 19.0628
23 17.0885
22 18.9071
21 17.0721
20 18.8989
19 16.7363
18 16.4004
17 12.3044
16 11.436
15 12.4027
14 12.6976
13 13.2301
12 8.69171
11 10.453
10 10.2728
9 7.58579
8 8.25754
7 9.06854
6 6.77478
5 6.10304
4 6.63552
3 4.57114
2 3.25222
1 3.1703
0 0.360448
-1 0
-2 0
-3 0
-4 0
-5 0
e
